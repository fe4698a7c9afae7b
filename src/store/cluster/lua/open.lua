-- The frontier is opened and nobody else has it open: leases and what was given back stand in the class and the place of
-- their queueing again (what was put off waits for its time again), hosts have the clock of the last commit and are not
-- set aside, and attempts, tiers, turns and short lists begin anew.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8...]  host, tier; and so on: all of :names
-- Result: nothing; then how the shard stands
shard_verb("open", function()
  refresh()
  local out = {}
  for _, member in ipairs(call("ZRANGE", S .. ":leases", 0, -1)) do
    local id = id_in(member)
    close(host(sub(read(id), 12, 15)), "0", "")
    out[#out + 1] = id
  end
  call("DEL", S .. ":leases")
  r.expiry = -1
  for i = 8, #ARGV, 2 do
    local one = host(call("HGET", S .. ":names", ARGV[i]))
    one.aside, one.tier, one.time, one.turns, one.ready, one.lessee = 0, tonumber(ARGV[i + 1]), 0, 0, one.kept, ""
    one.retimed = true
    one.short = ""
    local c = classes(one)
    for at = 1, #c, 4 do
      c[at + 2] = 2 ^ c[at]
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
    local id = unpack_from(">I4", member)
    local row = read(id)
    local reason, visit, previous, _, kept, at, place = fields(row)
    write(id, remade(row, "o", joined(reason, visit, previous, kept, kept, at, place)))
  end
  -- What comes back has its place behind the URLs that were known then: their number, and its own among those that came back.
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
    local one = host(sub(row, 12, 15))
    local reason, visit, previous, _, kept, at, place = fields(row)
    local letter = kept == "" and "q" or "o"
    row = remade(row, letter, joined(reason, visit, previous, kept, kept, at, place))
    if kept ~= "" then
      put_off(one, id, at)
    else
      local class = byte(row, 2) - 48
      count_in(one, class, 1)
      if byte(row, 3) == byte(row, 2) and previous == "" then
        local c, i = class_at(one, class)
        c[i + 3] = c[i + 3] - 1
        row = sub(row, 1, 2) .. "-" .. sub(row, 4)
      else
        call("LPUSH", S .. ":q:" .. char(48 + class) .. ":" .. one.order, format("%d", id))
      end
    end
    write(id, row)
  end
  return answer({})
end)
