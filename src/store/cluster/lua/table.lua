-- Fingerprints in a table, each with a value: id * 256 + level of cash; negative: the URL is only recorded as dropped. They are in buckets
-- that grow with what is in them one at a time (linear hashing: Litwin 1980), and a call reads all that it needs at once, and writes
-- all that it has changed.
--   :seen  hash: number of the bucket (4 bytes) -> of each that is in it its fingerprint, without the first byte or two where the number
--          tells them; its id (4 bytes; negative: dropped); its level
local IN_BUCKET, ENTRY, ENTRY_BYTES = 12, "<i4B", 13

-- The largest power of two that is not larger than the number of buckets, and twice that. Buckets that were read, and those of them that
-- were changed.
local low, span, buckets, changed
-- The fields of those that were read.
local numbered
-- Bytes of a fingerprint that a bucket's number tells: of one of so many buckets, and of one of twice as many.
local told_by_low, told_by_high

local function bytes_told(count)
  return count < 256 and 0 or count < 65536 and 1 or 2
end

local function know_buckets()
  buckets, changed, numbered = {}, {}, {}
  local _, exponent = math.frexp(r.buckets)
  span = 2 ^ exponent
  low = span / 2
  told_by_low, told_by_high = bytes_told(low), bytes_told(span)
end

-- Of a fingerprint by its first word.
local function bucket(word)
  local at = word % span
  if at >= r.buckets then
    at = word % low
  end
  return at
end

local function bucket_text(at)
  local text = buckets[at]
  if not text then
    local field = pack("<I4", at)
    text = call("HGET", S .. ":seen", field) or ""
    buckets[at], numbered[at] = text, field
  end
  return text
end

local function change_bucket(at, text)
  changed[at] = true
  buckets[at] = text
end

-- Reads the buckets of fingerprints with these first words.
local function look_up_in_table(words)
  local wanted, fields = {}, {}
  for i = 1, #words do
    local at = bucket(words[i])
    if not buckets[at] then
      local field = pack("<I4", at)
      buckets[at], numbered[at] = "", field
      wanted[#wanted + 1] = at
      fields[#fields + 1] = field
    end
  end
  if #wanted > 0 then
    local texts = call("HMGET", S .. ":seen", unpack(fields))
    for i = 1, #wanted do
      buckets[wanted[i]] = texts[i] or ""
    end
  end
end

-- Where a fingerprint begins in its bucket, nil: it is not there; what stands for it there, the bucket and its number.
local function entry_of(fingerprint, word)
  local number = bucket(word)
  local told = told_by_high
  if told ~= told_by_low and number < low and number + low >= r.buckets then
    told = told_by_low -- it has not been divided yet
  end
  local text = buckets[number] or bucket_text(number)
  local field = told == 0 and fingerprint or sub(fingerprint, told + 1)
  local at, bytes = find(text, field, 1, true), ENTRY_BYTES - told
  while at and at % bytes ~= 1 do
    at = find(text, field, at + 1, true)
  end
  return at, field, text, number
end

local function value_at(text, at)
  local id, level = unpack_from(ENTRY, text, at)
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

-- Its value; nil: it is not there.
local function find_in_table(fingerprint, word)
  local at, field, text = entry_of(fingerprint, word)
  return at and value_at(text, at + #field)
end

-- The same; what is not there is from now on, with this value, which may be packed already.
local function meet_in_table(fingerprint, word, value, packed)
  local at, field, text, number = entry_of(fingerprint, word)
  if at then
    return value_at(text, at + #field)
  end
  buckets[number], changed[number] = text .. field .. (packed or entry(value)), true
  r.seen = r.seen + 1
end

-- With this value from now on.
local function put_into_table(fingerprint, word, value)
  local at, field, text, number = entry_of(fingerprint, word)
  if at then
    local from = at + #field
    change_bucket(number, sub(text, 1, from - 1) .. entry(value) .. sub(text, from + ENTRY_BYTES - 8))
  else
    change_bucket(number, text .. field .. entry(value))
    r.seen = r.seen + 1
  end
end

local function take_from_table(fingerprint, word)
  local at, field, text, number = entry_of(fingerprint, word)
  if at then
    change_bucket(number, sub(text, 1, at - 1) .. sub(text, at + #field + ENTRY_BYTES - 8))
    r.seen = r.seen - 1
  end
end

-- One more bucket: it gets its share of the one that had both.
local function split_bucket()
  local new, old = r.buckets, r.buckets - low
  local text = bucket_text(old)
  local stay, go, stays, goes = {}, {}, 0, 0
  local bytes, shorter = ENTRY_BYTES - told_by_low, told_by_high - told_by_low
  -- The bit that decides: in which byte of an entry, and its value there.
  local bit, octet = low / 256 ^ told_by_low, 0
  while bit >= 256 do
    bit, octet = bit / 256, octet + 1
  end
  local whole = bit * 2
  for at = 1, #text, bytes do
    if byte(text, at + octet) % whole < bit then
      stays = stays + 1
      stay[stays] = sub(text, at + shorter, at + bytes - 1)
    else
      goes = goes + 1
      go[goes] = sub(text, at + shorter, at + bytes - 1)
    end
  end
  change_bucket(old, table.concat(stay))
  change_bucket(new, table.concat(go))
  numbered[new] = pack("<I4", new)
  r.buckets = new + 1
  if r.buckets == span then
    low, span = span, span * 2
    told_by_low, told_by_high = bytes_told(low), bytes_told(span)
  end
end

-- After some have become known.
local function make_room()
  while r.seen > r.buckets * IN_BUCKET do
    split_bucket()
  end
end

local function keep_table()
  local words = {}
  for at in pairs(changed) do
    words[#words + 1] = numbered[at]
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
