-- Hosts and what waits at them. Packed: name, tier, ready, kept (the time that the last commit left, with which an opening
-- begins), leased, delayed, aside (1: set aside), waiting, back (of these, given back), time (the turn served last), turns
-- (that the short list has had in a row), place (the set it stands in, "": none), at (its time there), lessee (who was
-- given the last lease), classes, short.
-- Of each class in use: its number, ids that wait in it, its next turn, and ids in its list that were taken by the short list.
-- The short list: id, level, and so on, the first in front.
local SHORT_LIST, SHORT_LIST_TURNS = 16, 2
local touched = {}

local function host(order)
  local one = touched[order]
  if one then
    return one
  end
  one = { order = order, pushed = {} }
  one.name, one.tier, one.ready, one.kept, one.leased, one.delayed, one.aside, one.waiting, one.back, one.time, one.turns, one.place, one.at, one.lessee, one.classes, one.short =
    cmsgpack.unpack(call("HGET", S .. ":hosts", order))
  one.was_pending = one.waiting + one.leased + one.delayed > 0
  touched[order] = one
  return one
end

-- A host by its name; one that is new gets this tier.
local met = {}
local function meet(name, tier)
  if met[name] then
    return met[name]
  end
  local order = call("HGET", S .. ":names", name)
  if order then
    met[name] = host(order)
  else
    r.known = r.known + 1
    order = struct.pack(">I4", r.known)
    call("HSET", S .. ":names", name, order)
    local one = { order = order, pushed = {}, name = name, tier = tonumber(tier), ready = 0, kept = 0, leased = 0, delayed = 0 }
    one.aside, one.waiting, one.back, one.time, one.turns, one.place, one.at, one.lessee = 0, 0, 0, 0, 0, "", 0, ""
    one.classes, one.short, one.was_pending = {}, {}, false
    touched[order], met[name] = one, one
  end
  return met[name]
end

-- `kind`: 1 for :due, 2 for :over.
local function of_tier(tier, kind, change)
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
  tiers[at + kind] = tiers[at + kind] + change
  if tiers[at + 1] == 0 and tiers[at + 2] == 0 then
    for _ = 1, 3 do
      table.remove(tiers, at)
    end
  end
end

local function kind_of(place)
  return string.sub(place, 2, 2) == "d" and 1 or 2
end

local function tier_in(place)
  return tonumber(string.match(place, "-?%d+$"))
end

local function put_in_place(one)
  local to = ""
  if one.waiting > 0 and one.leased < concurrency and one.aside == 0 then
    to = (one.leased < share and ":due:" or ":over:") .. one.tier
  end
  if one.place ~= to and one.place ~= "" then
    call("ZREM", S .. one.place, one.order)
    of_tier(tier_in(one.place), kind_of(one.place), -1)
  end
  if to ~= "" and (one.place ~= to or one.at ~= one.ready) then
    call("ZADD", S .. to, one.ready, one.order)
    if one.place ~= to then
      of_tier(one.tier, kind_of(to), 1)
    end
  end
  one.place, one.at = to, one.ready
end

local function keep_hosts()
  local words = {}
  for order, one in pairs(touched) do
    put_in_place(one)
    local pending = one.waiting + one.leased + one.delayed > 0
    if pending ~= one.was_pending then
      r.pending = r.pending + (pending and 1 or -1)
    end
    for class, ids in pairs(one.pushed) do
      call("RPUSH", S .. ":q:" .. class .. ":" .. order, unpack(ids))
    end
    local c = one.classes
    for i = #c - 3, 1, -4 do
      if c[i + 1] == 0 and c[i + 3] == 0 then
        for _ = 1, 4 do
          table.remove(c, i)
        end
      end
    end
    words[#words + 1] = order
    words[#words + 1] = cmsgpack.pack(
      one.name,
      one.tier,
      one.ready,
      one.kept,
      one.leased,
      one.delayed,
      one.aside,
      one.waiting,
      one.back,
      one.time,
      one.turns,
      one.place,
      one.at,
      one.lessee,
      c,
      one.short
    )
    if #words >= 1000 then
      call("HSET", S .. ":hosts", unpack(words))
      words = {}
    end
  end
  if #words > 0 then
    call("HSET", S .. ":hosts", unpack(words))
  end
end

local function wait(one, urls)
  one.waiting = one.waiting + urls
  r.queued = r.queued + urls
end

local function class_at(one, class)
  local c = one.classes
  for i = 1, #c, 4 do
    if c[i] == class then
      return i
    end
  end
  local i = #c + 1
  c[i], c[i + 1], c[i + 2], c[i + 3] = class, 0, 0, 0
  return i
end

-- One more waits in a class; who calls puts it into its list.
local function count_in(one, class)
  if one.waiting == one.back then
    one.time = 0
  end
  local c, i = one.classes, class_at(one, class)
  if c[i + 1] == 0 then
    c[i + 2] = one.time + 2 ^ class
  end
  c[i + 1] = c[i + 1] + 1
  wait(one, 1)
end

-- At the end of its class, when all is kept.
local function push(one, id, class)
  count_in(one, class)
  local ids = one.pushed[class]
  if not ids or #ids == 1000 then
    if ids then
      call("RPUSH", S .. ":q:" .. class .. ":" .. one.order, unpack(ids))
    end
    ids = {}
    one.pushed[class] = ids
  end
  ids[#ids + 1] = id
end

local function give_back(one, id, at_end)
  call(at_end and "RPUSH" or "LPUSH", S .. ":back:" .. one.order, id)
  one.back = one.back + 1
  wait(one, 1)
end

-- `id` waits in a class and has so much cash: it takes its place on the short list, if it has one there.
local function offer(one, id, level)
  local short = one.short
  for i = 1, #short, 2 do
    if short[i] == id then
      table.remove(short, i)
      table.remove(short, i)
      break
    end
  end
  local at = #short + 1
  while at > 1 and (short[at - 1] < level or (short[at - 1] == level and short[at - 2] > id)) do
    at = at - 2
  end
  table.insert(short, at, level)
  table.insert(short, at, id)
  if #short > 2 * SHORT_LIST then
    table.remove(short)
    table.remove(short)
  end
end

local function not_listed(one, id)
  local short = one.short
  for i = 1, #short, 2 do
    if short[i] == id then
      table.remove(short, i)
      table.remove(short, i)
      return
    end
  end
end

-- Takes ids off the head of a class that the short list has taken before: of all, or up to one that waits there.
local function sweep(one, i, most)
  local c = one.classes
  local key = S .. ":q:" .. c[i] .. ":" .. one.order
  while c[i + 3] > 0 and most > 0 do
    local id = tonumber(call("LPOP", key))
    local row = read(id)
    if not row or string.byte(row, 3) ~= c[i] + 48 then
      call("LPUSH", key, id)
      return
    end
    write(id, string.sub(row, 1, 2) .. "-" .. string.sub(row, 4))
    c[i + 3] = c[i + 3] - 1
    most = most - 1
  end
end

-- The URL whose turn it is, and its row, which is out from now on; nil and an id: nothing is changed, its row is spilled.
local function shift(one)
  if one.back > 0 then
    one.back = one.back - 1
    wait(one, -1)
    local id = tonumber(call("LPOP", S .. ":back:" .. one.order))
    return id, read(id)
  end
  local c, short = one.classes, one.short
  local id, row, i
  local listed = #short > 0 and one.turns < SHORT_LIST_TURNS
  if listed then
    id = short[1]
    row = read(id)
    if not row then
      return nil, id
    end
    local class = string.byte(row, 2) - 48
    i = class_at(one, class)
    c[i + 3] = c[i + 3] + 1
    row = "o" .. class .. class .. string.sub(row, 4)
  else
    for at = 1, #c, 4 do
      if c[at + 1] > 0 and (not i or c[at + 2] < c[i + 2] or (c[at + 2] == c[i + 2] and c[at] < c[i])) then
        i = at
      end
    end
    sweep(one, i, math.huge)
    local key = S .. ":q:" .. c[i] .. ":" .. one.order
    id = tonumber(call("LPOP", key))
    row = read(id)
    if not row then
      call("LPUSH", key, id)
      return nil, id
    end
    one.time = c[i + 2]
    c[i + 2] = one.time + 2 ^ c[i]
    row = with_letter(row, "o")
  end
  write(id, row)
  not_listed(one, id)
  one.turns = listed and one.turns + 1 or 0
  c[i + 1] = c[i + 1] - 1
  wait(one, -1)
  if c[i + 1] == 0 then
    sweep(one, i, ROWS)
  end
  return id, row
end

-- Takes an open lease out. `ready` may be "inf": the host is set aside.
local function close(member, one, ready, tier)
  call("ZREM", S .. ":leases", member)
  r.leased = r.leased - 1
  one.leased = one.leased - 1
  if ready == "inf" then
    one.aside = 1
  else
    one.ready = math.max(one.ready, tonumber(ready))
  end
  if tier ~= "" then
    one.tier = tonumber(tier)
  end
end

-- After a commit: a host that is set aside is so for this opening alone.
local function keep_clock(one)
  one.kept = one.aside == 1 and 0 or one.ready
end

local function id_in(member)
  return tonumber(string.match(member, "^%d+:(%d+):"))
end

-- A lease that nobody ends: its URL comes back, one attempt older.
local function lapse(member)
  local id = id_in(member)
  local row = read(id)
  local one = host(order_in(row))
  close(member, one, "0", "")
  local reason, visit, previous, attempt, kept, at, place = fields(row)
  attempt = (attempt == "" and 1 or tonumber(attempt)) + 1
  write(id, with_fields(row, reason, visit, previous, attempt, kept, at, place))
  give_back(one, id, false)
end

local function earliest(part)
  return tonumber(call("ZRANGE", S .. part, 0, 0, "WITHSCORES")[2] or -1)
end

local function put_off(one, id, at)
  call("ZADD", S .. ":delayed", at, struct.pack(">I4", id))
  one.delayed = one.delayed + 1
  r.delayed = r.delayed + 1
  if r.wake < 0 or at < r.wake then
    r.wake = at
  end
end

-- Brings leases and delays up to `now`: what has expired goes to the head, the one leased first in front; what is due to the end.
local function refresh()
  if r.expiry >= 0 and now >= r.expiry then
    local expired = call("ZRANGEBYSCORE", S .. ":leases", "-inf", ARGV[1])
    table.sort(expired)
    for i = #expired, 1, -1 do
      lapse(expired[i])
    end
    r.expiry = earliest(":leases")
  end
  if r.wake >= 0 and now >= r.wake then
    for _, member in ipairs(call("ZRANGEBYSCORE", S .. ":delayed", "-inf", ARGV[1])) do
      local id = struct.unpack(">I4", member)
      local one = host(order_in(read(id)))
      call("ZREM", S .. ":delayed", member)
      one.delayed = one.delayed - 1
      r.delayed = r.delayed - 1
      give_back(one, id, true)
    end
    r.wake = earliest(":delayed")
  end
end

-- When the next lease can be had; -1 for never.
local function next_ready()
  local ready = math.huge
  for i = 1, #r.tiers, 3 do
    for kind, part in ipairs({ ":due:", ":over:" }) do
      if r.tiers[i + kind] > 0 then
        ready = math.min(ready, earliest(part .. r.tiers[i]))
      end
    end
  end
  -- Of what is delayed the first that can count is nearly always the first.
  for from = 0, r.delayed - 1, 16 do
    local page = call("ZRANGE", S .. ":delayed", from, from + 15, "WITHSCORES")
    for i = 1, #page, 2 do
      local at = tonumber(page[i + 1])
      if at >= ready then
        return ready
      end
      local one = host(order_in(read((struct.unpack(">I4", page[i])))))
      if one.leased < concurrency and one.aside == 0 then
        ready = math.min(ready, math.max(at, one.ready))
      end
    end
  end
  return ready == math.huge and -1 or ready
end

local function said(time)
  return string.format("%.17g", time)
end

local function keep()
  keep_rows()
  keep_hosts()
  keep_record()
end

-- Keeps all that was changed; the answer of the verb, and how the shard stands now: URLs queued, leased, delayed; hosts with
-- any, hosts that may be leased; when the next lease can be had, when that changes by itself, when the first URL is due again
-- (-1 each: never). It is kept, too, for the case that it gets lost on its way.
local function answer(told)
  keep()
  local ready = next_ready()
  local wakes = r.expiry < 0 and r.wake or r.wake < 0 and r.expiry or math.min(r.expiry, r.wake)
  local placed = 0
  for i = 1, #r.tiers, 3 do
    placed = placed + r.tiers[i + 1] + r.tiers[i + 2]
  end
  local again = r.again > 0 and earliest(":again") or -1
  local whole = { told, { r.queued, r.leased, r.delayed, r.pending, placed, said(ready), said(wakes), said(again) } }
  call("SET", last_answer, cmsgpack.pack(ARGV[3], whole), "PX", 3600000)
  return whole
end
