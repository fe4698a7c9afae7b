-- The frontier is opened and nobody else has it open: leases and what was given back stand in the class and the place of
-- their admission again (what was put off waits for its time again), hosts have the clock of the last commit and are not
-- set aside, and attempts, tiers and turns begin anew.
-- ARGV[4...]  host, tier; and so on: all of :names
-- Result: nothing; then how the shard stands
refresh()
call("DEL", shard .. ":tries")
local retries = {}
local flat = call("HGETALL", shard .. ":retries")
for i = 1, #flat, 2 do
  local attempt, at = split(flat[i + 1])
  retries[flat[i]] = at
  call("HSET", shard .. ":tries", flat[i], attempt)
end
local rows = {}
local function put(order, row)
  rows[order] = rows[order] or {}
  table.insert(rows[order], row)
end
local leases = call("HGETALL", shard .. ":leases")
for i = 1, #leases, 2 do
  local one, row = close(leases[i], "0", "")
  put(one.order, row)
end
for i = 4, #ARGV, 2 do
  local order = call("HGET", shard .. ":names", ARGV[i])
  local one = host(order)
  one.aside, one.tier, one.time, one.ready = 0, tonumber(ARGV[i + 1]), 0, one.kept
  for class = 0, CLASSES - 1 do
    one["t" .. class] = 2 ^ class
  end
  for _, row in ipairs(call("LRANGE", shard .. ":back:" .. order, 0, -1)) do
    put(order, row)
  end
  if one.back > 0 then
    call("DEL", shard .. ":back:" .. order)
    wait(one, -one.back)
    one.back = 0
  end
  local mine = rows[order] or {}
  -- They were admitted before whatever waits in their class.
  table.sort(mine, function(a, b)
    return tonumber(id_of(a)) > tonumber(id_of(b))
  end)
  for _, row in ipairs(mine) do
    local at = retries[id_of(row)]
    if at then
      put_off(one, row, at)
    else
      push(one, row, class_of(row), true)
    end
  end
end
return { {}, standing() }
