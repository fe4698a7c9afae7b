-- The sorted sets of hosts by the time that they are due (:due, :over), and the tiers that there are: a host is moved there at the end of a
-- call, or before a set is read, together with all that go the same way.
local SETS = { ":due:", ":over:" }

local function of_tier(tier, set, change)
  local tiers, at = r.tiers, 1
  while at <= #tiers and tiers[at] < tier do
    at = at + 3
  end
  if tiers[at] ~= tier then
    for _ = 1, 3 do
      table.insert(tiers, at, 0)
    end
    tiers[at] = tier
  end
  tiers[at + set] = tiers[at + set] + change
  r.free = r.free + change
  if tiers[at + 1] == 0 and tiers[at + 2] == 0 then
    for _ = 1, 3 do
      table.remove(tiers, at)
    end
  end
end

-- A host's set follows from its state; `place_hosts` puts it there.
local function put_in_place(one)
  local set, tier = 0, one.tier
  if one.waiting > 0 and one.leased < concurrency and one.aside == 0 then
    set = one.leased < share and 1 or 2
  end
  local moves = set ~= one.set or tier ~= one.set_tier
  if not moves and (set == 0 or not one.retimed) then
    return
  end
  if one.set > 0 then
    ready_stands = false
  end
  if moves and one.set > 0 then
    of_tier(one.set_tier, one.set, -1)
  end
  if moves and set > 0 then
    of_tier(tier, set, 1)
  end
  if set > 0 and (r.ready < 0 or one.ready < r.ready) then
    r.ready = one.ready
  end
  one.set, one.set_tier, one.retimed = set, tier, false
  if not one.is_moving then
    one.is_moving = true
    moving[#moving + 1] = one
  end
end

local function into(lists, set, tier)
  local key = format("%s%s%d", S, SETS[set], tier)
  local list = lists[key]
  if not list then
    list = {}
    lists[key] = list
  end
  return list
end

local function each_thousand(command, lists)
  for key, list in pairs(lists) do
    for from = 1, #list, 1000 do
      call(command, key, unpack(list, from, math.min(#list, from + 999)))
    end
  end
end

-- All hosts that are not in the set, or not with the time, that they should be, a set at a time. Before a set is read.
local function place_hosts()
  if #moving == 0 then
    return
  end
  local leave, enter = {}, {}
  for i = 1, #moving do
    local one = moving[i]
    local was, was_tier, set = one.was_in, one.was_in_tier, one.set
    if was > 0 and (was ~= set or was_tier ~= one.set_tier) then
      local list = into(leave, was, was_tier)
      list[#list + 1] = one.order
    end
    if set > 0 then
      local list = into(enter, set, one.set_tier)
      list[#list + 1] = time_text(one.ready)
      list[#list + 1] = one.order
    end
    one.was_in, one.was_in_tier, one.is_moving = set, one.set_tier, false
  end
  each_thousand("ZREM", leave)
  each_thousand("ZADD", enter)
  moving = {}
end
