-- What is known. A URL's value is id * 256 + level of cash; negative: it is only recorded as dropped. Buckets grow with what is in
-- them one at a time (linear hashing: Litwin 1980), so that each stays compact in memory whatever the size of the crawl.
local IN_BUCKET = 32

-- The largest power of two that is not larger than the number of buckets.
local low

know_seen = function()
  low = 1
  while low * 2 <= r.buckets do
    low = low * 2
  end
end

-- Of a fingerprint by its first word.
local function bucket(word)
  local at = word % (low * 2)
  if at >= r.buckets then
    at = word % low
  end
  return format("%s:seen:%d", S, at)
end

-- The value of a fingerprint, whose first word is told, too; nil: it is not known.
local function find_seen(fingerprint, word)
  return tonumber(call("HGET", bucket(word), fingerprint) or nil)
end

-- The same; what is not known is from now on, with this value.
local function meet_seen(fingerprint, word, value)
  local key = bucket(word)
  if call("HSETNX", key, fingerprint, format("%d", value)) == 1 then
    r.seen = r.seen + 1
    return nil
  end
  return tonumber(call("HGET", key, fingerprint))
end

-- Of what is known the value is another now.
local function change_seen(fingerprint, word, value)
  call("HSET", bucket(word), fingerprint, format("%d", value))
end

-- Of a row: its fingerprint, with the first word of that.
local function fingerprint_in(row)
  return sub(row, 4, 11), (unpack_from("<I4", row, 4))
end

-- Of a row: the level of its cash.
local function level_of(row)
  return math.abs(find_seen(fingerprint_in(row))) % 256
end

-- The URL of this row was admitted, and is a drop now.
local function drop_seen(row)
  local fingerprint, word = fingerprint_in(row)
  change_seen(fingerprint, word, -find_seen(fingerprint, word))
end

-- One more bucket: it gets its share of the one that had both.
local function split_bucket()
  local new = r.buckets
  local from, to = format("%s:seen:%d", S, new - low), format("%s:seen:%d", S, new)
  local all, gone, moved = call("HGETALL", from), {}, {}
  for i = 1, #all, 2 do
    if unpack_from("<I4", all[i]) % (low * 2) == new then
      gone[#gone + 1] = all[i]
      moved[#moved + 1] = all[i]
      moved[#moved + 1] = all[i + 1]
    end
  end
  if #gone > 0 then
    call("HDEL", from, unpack(gone))
    call("HSET", to, unpack(moved))
  end
  r.buckets = new + 1
  if r.buckets == low * 2 then
    low = r.buckets
  end
end

-- After some have become known.
local function make_room()
  while r.seen > r.buckets * IN_BUCKET do
    split_bucket()
  end
end
