-- What was seen, by a table that knows all (table.lua), or by filters (filter.lua), which know of a URL only that it was admitted. The
-- table has those alone then that were dropped, so that they can come in later; filters have them, too, so that what is in none
-- of them need not be looked for in the table.

know_seen = function()
  know_buckets()
  if filter then
    know_layers()
  end
end

-- Reads what is needed for fingerprints with these first words, at once. Of filters it is read one by one.
local function look_up_seen(words)
  if not filter then
    look_up_in_table(words)
  end
end

local function known_to_filters(fingerprint, word)
  return r.seen > 0 and find_in_table(fingerprint, word) or 0
end

-- The value of a fingerprint (see table.lua), whose first word is told, too; 0: it was admitted, and no more is known; nil: it is new.
local function find_seen(fingerprint, word)
  if not filter then
    return find_in_table(fingerprint, word)
  elseif is_in_filters(fingerprint, word) then
    return known_to_filters(fingerprint, word)
  end
end

-- The same; what is new is known from now on, with this value, which may be packed already.
local function meet_seen(fingerprint, word, value, packed)
  if not filter then
    return meet_in_table(fingerprint, word, value, packed)
  elseif not put_into_filters(fingerprint, word) then
    return known_to_filters(fingerprint, word)
  elseif value < 0 then
    put_into_table(fingerprint, word, value)
  end
end

-- Of what is known the value is another now.
local function change_seen(fingerprint, word, value)
  if filter and value >= 0 then
    take_from_table(fingerprint, word)
  else
    put_into_table(fingerprint, word, value)
  end
end

-- Of a row: its fingerprint, with the first word of that.
local function fingerprint_in(row)
  return sub(row, 4, 11), (unpack_from("<I4", row, 4))
end

-- Of a row: the level of its cash.
local function level_of(row)
  return filter and 0 or math.abs(find_seen(fingerprint_in(row))) % 256
end

-- The URL of this row and id was admitted, and is a drop now.
local function drop_seen(row, id)
  local fingerprint, word = fingerprint_in(row)
  change_seen(fingerprint, word, filter and -256 * id or -find_seen(fingerprint, word))
  make_room()
end
