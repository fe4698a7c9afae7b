-- What is known. Buckets grow with it one at a time (linear hashing: Litwin 1980), so that each stays compact in memory
-- whatever the size of the crawl.
local IN_BUCKET = 32

-- The largest power of two that is not larger than the number of buckets.
local low = 1
while low * 2 <= r.buckets do
  low = low * 2
end

-- Of a fingerprint by its first word.
local function bucket(word)
  local at = word % (low * 2)
  if at >= r.buckets then
    at = word % low
  end
  return format("%s:seen:%d", S, at)
end

-- Of a row: the place of its fingerprint, and what is kept of it there.
local function seen_of(row)
  local key, fingerprint = bucket((unpack_from("<I4", row, 4))), sub(row, 4, 11)
  return key, fingerprint, tonumber(call("HGET", key, fingerprint))
end
