-- Rows of URLs, whatever has become of them. Reads all that waits: for looking at a crawl, not for crawling.
-- ARGV[4]  an id, or "": all
-- Result: for each state, host, row
refresh()
finish()
local told = {}
local function tell(state, name, row)
  if ARGV[4] == "" or id_of(row) == ARGV[4] then
    told[#told + 1] = { state, name, row }
  end
end
local function tell_kept(key, state)
  local kept = call("HGETALL", shard .. key)
  for i = 2, #kept, 2 do
    local order, row = split(kept[i])
    if state == "leased" then
      row = select(2, split(row))
    end
    tell(state, host(order).name, row)
  end
end
local ended = ARGV[4] ~= "" and { "", call("HGET", shard .. ":ended", ARGV[4]) } or call("HGETALL", shard .. ":ended")
for i = 2, #ended, 2 do
  if ended[i] then
    local name, row = split(select(2, split(ended[i])))
    tell("ended", name, row)
  end
end
if ARGV[4] ~= "" and #told > 0 then
  return told
end
tell_kept(":leases", "leased")
tell_kept(":later", "delayed")
local names = call("HGETALL", shard .. ":names")
for i = 1, #names, 2 do
  local lists = { ":back:" .. names[i + 1] }
  for class = 0, CLASSES - 1 do
    lists[#lists + 1] = ":q:" .. names[i + 1] .. ":" .. class
  end
  for _, list in ipairs(lists) do
    for _, row in ipairs(call("LRANGE", shard .. list, 0, -1)) do
      tell("queued", names[i], row)
    end
  end
end
return told
