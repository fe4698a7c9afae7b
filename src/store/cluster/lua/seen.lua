-- What is known. Buckets grow with it one at a time (linear hashing: Litwin 1980), so that each stays compact in memory
-- whatever the size of the crawl.
local IN_BUCKET = 64

-- The largest power of two that is not larger than the number of buckets.
local low = 1
while low * 2 <= r.buckets do
  low = low * 2
end

local function bucket(fingerprint)
  local word = struct.unpack("<I4", fingerprint)
  local at = word % (low * 2)
  if at >= r.buckets then
    at = word % low
  end
  return S .. ":seen:" .. at
end

local function ended(reason, by)
  call("HINCRBY", S .. ":ends", reason, by)
end
