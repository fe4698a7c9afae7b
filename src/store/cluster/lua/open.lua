-- The frontier is opened and nobody else has it open: leases and what was given back stand in the class and the place of
-- their queueing again (what was put off waits for its time again), hosts have the clock of the last commit and are not
-- set aside, and attempts, tiers, turns and short lists begin anew.
-- ARGV[8...]  host, tier; and so on: all of :names
-- Result: nothing; then how the shard stands
refresh()
local out = {}
for _, member in ipairs(call("ZRANGE", S .. ":leases", 0, -1)) do
  local id = id_in(member)
  local one = host(order_in(read(id)))
  close(member, one, "0", "")
  out[#out + 1] = id
end
r.expiry = -1
for i = 8, #ARGV, 2 do
  local one = meet(ARGV[i], ARGV[i + 1])
  one.aside, one.tier, one.time, one.turns, one.ready, one.lessee, one.short = 0, tonumber(ARGV[i + 1]), 0, 0, one.kept, "", {}
  for at = 1, #one.classes, 4 do
    one.classes[at + 2] = 2 ^ one.classes[at]
  end
  if one.back > 0 then
    for _, id in ipairs(call("LRANGE", S .. ":back:" .. one.order, 0, -1)) do
      out[#out + 1] = tonumber(id)
    end
    call("DEL", S .. ":back:" .. one.order)
    wait(one, -one.back)
    one.back = 0
  end
end
for _, member in ipairs(call("ZRANGE", S .. ":delayed", 0, -1)) do
  local id = struct.unpack(">I4", member)
  local row = read(id)
  local reason, visit, previous, _, kept, at, place = fields(row)
  write(id, with_fields(row, reason, visit, previous, kept, kept, at, place))
end
-- What comes back has its place behind the URLs that were known then: its number of them, and its own among those that came back.
local places = {}
for _, id in ipairs(out) do
  local _, _, _, _, _, _, place = fields(read(id))
  local behind, nth = string.match(place, "^(%d+)/(%d+)$")
  places[id] = { tonumber(behind or id), tonumber(nth or 0) }
end
table.sort(out, function(a, b)
  local one, other = places[a], places[b]
  if one[1] ~= other[1] then
    return one[1] > other[1]
  end
  return one[2] > other[2]
end)
-- Those that were taken from a list's head were queued before whatever waits in it; those that the short list took stand in it still.
for _, id in ipairs(out) do
  local row = read(id)
  local one = host(order_in(row))
  local reason, visit, previous, _, kept, at, place = fields(row)
  row = with_fields(row, reason, visit, previous, kept, kept, at, place)
  if kept ~= "" then
    write(id, row)
    put_off(one, id, tonumber(at))
  else
    local class = string.byte(row, 2) - 48
    count_in(one, class)
    if string.byte(row, 3) == string.byte(row, 2) and previous == "" then
      local i = class_at(one, class)
      one.classes[i + 3] = one.classes[i + 3] - 1
      row = string.sub(row, 1, 2) .. "-" .. string.sub(row, 4)
    else
      call("LPUSH", S .. ":q:" .. class .. ":" .. one.order, id)
    end
    write(id, with_letter(row, "q"))
  end
end
return answer({})
