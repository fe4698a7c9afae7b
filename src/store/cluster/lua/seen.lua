-- What is known. A URL's value is id * 256 + level of cash; negative: it is only recorded as dropped. Fingerprints are in buckets that
-- grow with what is in them one at a time (linear hashing: Litwin 1980), and a call reads all that it needs at once, and writes all
-- that it has changed.
--   :seen  hash: number of the bucket (4 bytes) -> of each that is in it its fingerprint, its id (4 bytes; negative: dropped), its level
local IN_BUCKET, ENTRY, ENTRY_BYTES = 12, "<i4B", 13

-- The largest power of two that is not larger than the number of buckets. Buckets that were read, and those of them that were changed.
local low, buckets, changed

know_seen = function()
  buckets, changed, low = {}, nil, 1
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
  return at
end

local function bucket_text(at)
  local text = buckets[at]
  if not text then
    text = call("HGET", S .. ":seen", pack("<I4", at)) or ""
    buckets[at] = text
  end
  return text
end

local function change_bucket(at, text)
  changed = changed or {}
  changed[at] = true
  buckets[at] = text
end

-- Reads the buckets of fingerprints with these first words.
local function look_up_seen(words)
  local wanted, fields = {}, {}
  for i = 1, #words do
    local at = bucket(words[i])
    if not buckets[at] then
      buckets[at] = ""
      wanted[#wanted + 1] = at
      fields[#fields + 1] = pack("<I4", at)
    end
  end
  if #wanted > 0 then
    local texts = call("HMGET", S .. ":seen", unpack(fields))
    for i = 1, #wanted do
      buckets[wanted[i]] = texts[i] or ""
    end
  end
end

-- Where it is in a bucket; nil: it is not.
local function entry_of(text, fingerprint)
  local at = string.find(text, fingerprint, 1, true)
  while at and at % ENTRY_BYTES ~= 1 do
    at = string.find(text, fingerprint, at + 1, true)
  end
  return at
end

local function value_at(text, at)
  local id, level = unpack_from(ENTRY, text, at + 8)
  return id < 0 and id * 256 - level or id * 256 + level
end

local function entry(value)
  if value < 0 then
    local level = -value % 256
    return pack(ENTRY, (value + level) / 256, level)
  end
  local level = value % 256
  return pack(ENTRY, (value - level) / 256, level)
end

-- The value of a fingerprint, whose first word is told, too; nil: it is not known.
local function find_seen(fingerprint, word)
  local text = bucket_text(bucket(word))
  local at = entry_of(text, fingerprint)
  return at and value_at(text, at)
end

-- The same; what is not known is from now on, with this value.
local function meet_seen(fingerprint, word, value)
  local number = bucket(word)
  local text = buckets[number] or bucket_text(number)
  local at = entry_of(text, fingerprint)
  if at then
    return value_at(text, at)
  end
  change_bucket(number, text .. fingerprint .. entry(value))
  r.seen = r.seen + 1
end

-- Of what is known the value is another now.
local function change_seen(fingerprint, word, value)
  local number = bucket(word)
  local text = bucket_text(number)
  local at = entry_of(text, fingerprint)
  change_bucket(number, sub(text, 1, at + 7) .. entry(value) .. sub(text, at + ENTRY_BYTES))
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
  local new, old = r.buckets, r.buckets - low
  local text = bucket_text(old)
  local stay, go = {}, {}
  for at = 1, #text, ENTRY_BYTES do
    local list = unpack_from("<I4", text, at) % (low * 2) == new and go or stay
    list[#list + 1] = sub(text, at, at + ENTRY_BYTES - 1)
  end
  change_bucket(old, table.concat(stay))
  change_bucket(new, table.concat(go))
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

local function keep_seen()
  if not changed then
    return
  end
  local words = {}
  for at in pairs(changed) do
    words[#words + 1] = pack("<I4", at)
    words[#words + 1] = buckets[at]
    if #words == 1000 then
      call("HSET", S .. ":seen", unpack(words))
      words = {}
    end
  end
  if #words > 0 then
    call("HSET", S .. ":seen", unpack(words))
  end
end
