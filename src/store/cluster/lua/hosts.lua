-- Hosts and what waits at them: ready, kept (the time that the last commit left, with which an opening begins), time (the turn
-- served last), tier, leases open, delayed, waiting, given back of these, aside (1: set aside), turns (that the short list has had in
-- a row), the set (0: none, 1: :due, 2: :over) and its tier, name, lessee (who was given the last lease); then its classes, and its
-- short list (see short.lua).
local HOST = "<dddi2I2I4I4I4BBBi2I2c0Bc0Bc0Bc0"
-- Of each class in use: its number, ids that wait in it, its next turn, and ids in its list that were taken by the short list.
local CLASS, CLASS_BYTES = "BI4dI4", 17
local CLASSES = { [0] = "<" }
for i = 1, 8 do
  CLASSES[i] = CLASSES[i - 1] .. CLASS
end
local SETS = { ":due:", ":over:" }
-- Tables are used again, call after call, which saves a third of what a host costs; but no more of them than a call of the usual size needs.
local POOL, MOST_POOLED, used = {}, 512, 0
-- What was read ahead: orders by name, hosts by order; and what names are new, and their orders.
local orders, host_texts, new_names

know_hosts = function()
  used, orders, host_texts, new_names = 0, {}, {}, {}
end

local function blank()
  used = used + 1
  local one = POOL[used]
  if not one then
    one = {}
    if used <= MOST_POOLED then
      POOL[used] = one
    end
  end
  one.classes, one.retimed = nil, false
  return one
end

local function host(order)
  local one = touched[order]
  if one then
    return one
  end
  one = blank()
  one.order = order
  one.ready, one.kept, one.time, one.tier, one.leased, one.delayed, one.waiting, one.back, one.aside, one.turns, one.set, one.set_tier, one.name, one.lessee, one.class_text, one.short =
    unpack_from(HOST, host_texts[order] or call("HGET", S .. ":hosts", order))
  one.was_pending = one.waiting + one.leased + one.delayed > 0
  touched[order], met[one.name] = one, one
  return one
end

-- A host by its name; one that is new gets this tier.
local function meet(name, tier)
  local one = met[name]
  if one then
    return one
  end
  local order = orders[name]
  if order == nil then
    order = call("HGET", S .. ":names", name)
  end
  if order then
    return host(order)
  end
  r.known = r.known + 1
  order = pack(">I4", r.known)
  new_names[#new_names + 1] = name
  new_names[#new_names + 1] = order
  one = blank()
  one.order, one.name, one.tier, one.lessee, one.class_text, one.short = order, name, tonumber(tier), "", "", ""
  one.ready, one.kept, one.time, one.leased, one.delayed, one.waiting, one.back = 0, 0, 0, 0, 0, 0, 0
  one.aside, one.turns, one.set, one.set_tier, one.was_pending = 0, 0, 0, 0, false
  touched[order], met[name] = one, one
  return one
end

-- Reads hosts that will be met by their names.
local function look_up_hosts(names)
  if #names == 0 then
    return
  end
  local known = {}
  local told = call("HMGET", S .. ":names", unpack(names))
  for i = 1, #names do
    local order = told[i]
    orders[names[i]] = order
    if order then
      known[#known + 1] = order
    end
  end
  if #known > 0 then
    told = call("HMGET", S .. ":hosts", unpack(known))
    for i = 1, #known do
      host_texts[known[i]] = told[i]
    end
  end
end

-- Its classes as a list: number, waiting, next turn, taken; and so on.
local function classes(one)
  local c = one.classes
  if not c then
    local text = one.class_text
    c = {}
    if text ~= "" then
      c = { unpack_from(CLASSES[#text / CLASS_BYTES], text) }
      c[#c] = nil -- where the text ends
    end
    one.classes = c
  end
  return c
end

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

local function put_in_place(one)
  local set, tier = 0, one.tier
  if one.waiting > 0 and one.leased < concurrency and one.aside == 0 then
    set = one.leased < share and 1 or 2
  end
  local moves = set ~= one.set or tier ~= one.set_tier
  if one.set > 0 and (moves or one.retimed) then
    ready_stands = false
  end
  if moves and one.set > 0 then
    call("ZREM", format("%s%s%d", S, SETS[one.set], one.set_tier), one.order)
    of_tier(one.set_tier, one.set, -1)
  end
  if set > 0 and (moves or one.retimed) then
    call("ZADD", format("%s%s%d", S, SETS[set], tier), time_text(one.ready), one.order)
    if moves then
      of_tier(tier, set, 1)
    end
    if r.ready < 0 or one.ready < r.ready then
      r.ready = one.ready
    end
  end
  one.set, one.set_tier, one.retimed = set, tier, false
end

-- As struct has it.
local function packed_host(one)
  local class_text, short, c = one.class_text, one.short, one.classes
  if c then
    for i = #c - 3, 1, -4 do
      if c[i + 1] == 0 and c[i + 3] == 0 then
        for _ = 1, 4 do
          table.remove(c, i)
        end
      end
    end
    class_text = #c == 0 and "" or pack(CLASSES[#c / 4], unpack(c))
  end
  local lessee = one.lessee
  return pack(
    HOST,
    one.ready,
    one.kept,
    one.time,
    one.tier,
    one.leased,
    one.delayed,
    one.waiting,
    one.back,
    one.aside,
    one.turns,
    one.set,
    one.set_tier,
    #one.name,
    one.name,
    #lessee,
    lessee,
    #class_text,
    class_text,
    #short,
    short
  )
end

local function wait(one, urls)
  one.waiting = one.waiting + urls
  r.queued = r.queued + urls
end

local function class_at(one, class)
  local c = classes(one)
  local i = 1
  while c[i] do
    if c[i] == class then
      return c, i
    end
    i = i + 4
  end
  c[i], c[i + 1], c[i + 2], c[i + 3] = class, 0, 0, 0
  return c, i
end

-- So many more wait in a class; who calls puts them into its list.
local function count_in(one, class, urls)
  if one.waiting == one.back then
    one.time = 0
  end
  local c, i = class_at(one, class)
  if c[i + 1] == 0 then
    c[i + 2] = one.time + 2 ^ class
  end
  c[i + 1] = c[i + 1] + urls
  wait(one, urls)
end

local function give_back(one, id, at_end)
  call(at_end and "RPUSH" or "LPUSH", S .. ":back:" .. one.order, format("%d", id))
  one.back = one.back + 1
  wait(one, 1)
end

-- After an open lease was taken out. `ready` may be "inf": the host is set aside.
local function close(one, ready, tier)
  r.leased = r.leased - 1
  one.leased = one.leased - 1
  if ready == "inf" then
    one.aside = 1
  else
    ready = tonumber(ready)
    if ready > one.ready then
      one.ready, one.retimed = ready, true
    end
  end
  if tier ~= "" then
    one.tier = tonumber(tier)
  end
end

local function id_in(member)
  return tonumber(sub(member, 18, string.find(member, ":", 18, true) - 1))
end

-- A lease that nobody ends: its URL comes back, one attempt older.
local function lapse(member)
  local id = id_in(member)
  local row = read(id)
  local one = host(sub(row, 12, 15))
  call("ZREM", S .. ":leases", member)
  close(one, "0", "")
  local reason, visit, previous, attempt, kept, at, place = fields(row)
  attempt = (attempt == "" and 1 or tonumber(attempt)) + 1
  write(id, remade(row, "o", joined(reason, visit, previous, attempt, kept, at, place)))
  give_back(one, id, false)
end

local function earliest(part)
  return tonumber(call("ZRANGE", S .. part, "0", "0", "WITHSCORES")[2] or -1)
end

-- Brings leases and delays up to `now`: what has expired goes to the head, the one leased first in front; what is due to the end.
-- True when there was any.
local function refresh()
  local changes = false
  if r.expiry >= 0 and now >= r.expiry then
    changes = true
    local expired = call("ZRANGEBYSCORE", S .. ":leases", "-inf", ARGV[1])
    table.sort(expired)
    for i = #expired, 1, -1 do
      lapse(expired[i])
    end
    r.expiry = earliest(":leases")
  end
  if r.wake >= 0 and now >= r.wake then
    changes = true
    for _, member in ipairs(call("ZRANGEBYSCORE", S .. ":delayed", "-inf", ARGV[1])) do
      local id = unpack_from(">I4", member)
      local one = host(sub(read(id), 12, 15))
      call("ZREM", S .. ":delayed", member)
      one.delayed = one.delayed - 1
      r.delayed = r.delayed - 1
      give_back(one, id, true)
    end
    r.wake = earliest(":delayed")
  end
  return changes
end

-- When the next lease can be had; -1 for never.
local function next_ready()
  local ready = math.huge
  for i = 1, #r.tiers, 3 do
    for set = 1, 2 do
      if r.tiers[i + set] > 0 then
        ready = math.min(ready, earliest(format("%s%d", SETS[set], r.tiers[i])))
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
      local one = host(sub(read((unpack_from(">I4", page[i]))), 12, 15))
      if one.leased < concurrency and one.aside == 0 then
        ready = math.min(ready, math.max(at, one.ready))
      end
    end
  end
  return ready == math.huge and -1 or ready
end

-- Keeps all that was changed.
local function keep()
  local from = 1
  while from <= #fresh do
    local at = (base + from - 1) % ROWS
    local to = math.min(#fresh, from + ROWS - at - 1)
    call("RPUSH", rows_key((base + from - 1 - at) / ROWS), unpack(fresh, from, to))
    from = to + 1
  end
  keep_table()
  if #new_names > 0 then
    call("HSET", S .. ":names", unpack(new_names))
  end
  for reason, by in pairs(ends) do
    call("HINCRBY", S .. ":ends", reason, by)
  end
  local words = {}
  for order, one in pairs(touched) do
    put_in_place(one)
    local pending = one.waiting + one.leased + one.delayed > 0
    if pending ~= one.was_pending then
      r.pending = r.pending + (pending and 1 or -1)
    end
    words[#words + 1] = order
    words[#words + 1] = packed_host(one)
    if #words == 1000 then
      call("HSET", S .. ":hosts", unpack(words))
      words = {}
    end
  end
  if #words > 0 then
    call("HSET", S .. ":hosts", unpack(words))
  end
  if not ready_stands then
    r.ready = next_ready()
  end
  local tiers = {}
  for i = 1, #r.tiers, 3 do
    tiers[#tiers + 1] = pack(TIER, r.tiers[i], r.tiers[i + 1], r.tiers[i + 2])
  end
  local packed = pack(
    RECORD,
    r.queued,
    r.leased,
    r.delayed,
    r.pending,
    r.free,
    r.ready,
    r.expiry,
    r.wake,
    r.due,
    r.last,
    r.spilled,
    r.hand,
    r.token,
    r.known,
    r.returns,
    r.buckets,
    r.seen,
    r.filtered,
    #tiers
  ) .. table.concat(tiers)
  call("SET", S, packed)
end

-- Whole milliseconds are told as a number, others as text: an answer has no fractions.
local function said(time)
  return time % 1 == 0 and time or format("%.17g", time)
end

-- Keeps all, and tells what the verb says, and how the shard stands now: the first eleven numbers of its record. That is kept, too,
-- for the case that it gets lost on its way.
local function answer(told)
  keep()
  local ready, expiry, wake, due = said(r.ready), said(r.expiry), said(r.wake), said(r.due)
  local stands = { r.queued, r.leased, r.delayed, r.pending, r.free, ready, expiry, wake, due, r.last, r.spilled }
  local whole = { told, stands }
  call("SET", last_answer, cmsgpack.pack(ARGV[3], whole), "PX", "3600000")
  return whole
end
