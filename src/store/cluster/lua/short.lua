-- Short lists (promise 8 of the port).
local SHORT_LIST, SHORT_LIST_TURNS = 16, 2

local function not_listed(one, id)
  local short = short_list(one)
  for i = 1, #short, 2 do
    if short[i] == id then
      table.remove(short, i)
      table.remove(short, i)
      return
    end
  end
end

-- `id`, which is on it no more, waits in a class and has so much cash: it takes its place on the short list, if it has one there.
local function offer(one, id, level)
  local text = one.short_text
  if not one.short and #text == SHORT_LIST * LISTED_BYTES then
    local last, least = unpack_from(LISTED, text, #text - LISTED_BYTES + 1)
    if level < least or (level == least and id > last) then
      return
    end
  end
  local short = short_list(one)
  local at = #short + 1
  while at > 1 and (short[at - 1] < level or (short[at - 1] == level and short[at - 2] > id)) do
    at = at - 2
  end
  if at > 2 * SHORT_LIST then
    return
  end
  table.insert(short, at, level)
  table.insert(short, at, id)
  if #short > 2 * SHORT_LIST then
    table.remove(short)
    table.remove(short)
  end
end
