-- Short lists (promise 8 of the port): of each URL that is on one, the first in front, its id (4 bytes) and its level (1). They are
-- texts, since most of them are looked at and not changed.
local SHORT_LIST, SHORT_LIST_TURNS, LISTED, LISTED_BYTES = 16, 2, "<I4B", 5

local function first_listed(one)
  local id, level = unpack_from(LISTED, one.short)
  return id, level
end

local function not_listed(one, id)
  local short, wanted = one.short, pack("<I4", id)
  local at = string.find(short, wanted, 1, true)
  while at and at % LISTED_BYTES ~= 1 do
    at = string.find(short, wanted, at + 1, true)
  end
  if at then
    one.short = sub(short, 1, at - 1) .. sub(short, at + LISTED_BYTES)
  end
end

-- `id`, which is on it no more, waits in a class and has so much cash: it takes its place on the short list, if it has one there.
local function offer(one, id, level)
  local short = one.short
  local before = #short
  while before > 0 do
    local other = byte(short, before)
    if other > level or (other == level and unpack_from("<I4", short, before - 4) < id) then
      break
    end
    before = before - LISTED_BYTES
  end
  if before < SHORT_LIST * LISTED_BYTES then
    short = sub(short, 1, before) .. pack(LISTED, id, level) .. sub(short, before + 1)
    one.short = sub(short, 1, SHORT_LIST * LISTED_BYTES)
  end
end

-- The same of a URL that is newer than all that wait, and so behind its equals; its id and level are packed.
local function offer_new(one, listed, level)
  local short = one.short
  local size = #short
  local before = size
  while before > 0 and byte(short, before) < level do
    before = before - LISTED_BYTES
  end
  if before < size then
    one.short = sub(short, 1, before) .. listed .. sub(short, before + 1, (SHORT_LIST - 1) * LISTED_BYTES)
  elseif size < SHORT_LIST * LISTED_BYTES then
    one.short = short .. listed
  end
end
