-- Hosts and what waits at them: ready, kept (the time that the last commit left, with which an opening begins), at (its time
-- in the set that it stands in), time (the turn served last), tier, leases open, delayed, waiting, given back of these, aside (1: set
-- aside), turns (that the short list has had in a row), the set (0: none, 1: :due, 2: :over) and its tier, name, lessee (who was
-- given the last lease); then its classes, and its short list (see short.lua).
local HOST = "<ddddi2I2I4I4I4BBBi2I2c0Bc0Bc0Bc0"
-- Of each class in use: its number, ids that wait in it, its next turn, and ids in its list that were taken by the short list.
local CLASS, CLASS_BYTES = "BI4dI4", 17
local SETS = { ":due:", ":over:" }

local function host(order)
  local one = touched[order]
  if one then
    return one
  end
  local ready, kept, at, time, tier, leased, delayed, waiting, back, aside, turns, set, set_tier, name, lessee, class_text, short =
    unpack_from(HOST, call("HGET", S .. ":hosts", order))
  one = {
    order = order,
    ready = ready,
    kept = kept,
    at = at,
    time = time,
    tier = tier,
    leased = leased,
    delayed = delayed,
    waiting = waiting,
    back = back,
    aside = aside,
    turns = turns,
    set = set,
    set_tier = set_tier,
    name = name,
    lessee = lessee,
    class_text = class_text,
    short = short,
    was_pending = waiting + leased + delayed > 0,
  }
  touched[order], met[name] = one, one
  return one
end

-- A host by its name; one that is new gets this tier.
local function meet(name, tier)
  local one = met[name]
  if one then
    return one
  end
  local order = call("HGET", S .. ":names", name)
  if order then
    one = host(order)
  else
    r.known = r.known + 1
    order = pack(">I4", r.known)
    call("HSET", S .. ":names", name, order)
    one = {
      order = order,
      ready = 0,
      kept = 0,
      at = 0,
      time = 0,
      tier = tonumber(tier),
      leased = 0,
      delayed = 0,
      waiting = 0,
      back = 0,
      aside = 0,
      turns = 0,
      set = 0,
      set_tier = 0,
      name = name,
      lessee = "",
      class_text = "",
      short = "",
      was_pending = false,
    }
    touched[order], met[name] = one, one
  end
  return one
end

-- Its classes as a list: number, waiting, next turn, taken; and so on.
local function classes(one)
  local c = one.classes
  if not c then
    local text = one.class_text
    c = {}
    if text ~= "" then
      c = { unpack_from("<" .. string.rep(CLASS, #text / CLASS_BYTES), text) }
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
  if moves and one.set > 0 then
    call("ZREM", format("%s%s%d", S, SETS[one.set], one.set_tier), one.order)
    of_tier(one.set_tier, one.set, -1)
  end
  if set > 0 and (moves or one.at ~= one.ready) then
    call("ZADD", format("%s%s%d", S, SETS[set], tier), format("%.17g", one.ready), one.order)
    if moves then
      of_tier(tier, set, 1)
    end
  end
  one.set, one.set_tier, one.at = set, tier, one.ready
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
    class_text = #c == 0 and "" or pack("<" .. string.rep(CLASS, #c / 4), unpack(c))
  end
  local lessee = one.lessee
  return pack(
    HOST,
    one.ready,
    one.kept,
    one.at,
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
  call(at_end and "RPUSH" or "LPUSH", S .. ":back:" .. one.order, id)
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
      one.ready = ready
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
  return tonumber(call("ZRANGE", S .. part, 0, 0, "WITHSCORES")[2] or -1)
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
    call("RPUSH", format("%s:u:%d", S, (base + from - 1 - at) / ROWS), unpack(fresh, from, to))
    from = to + 1
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
  r.ready = next_ready()
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
    #tiers
  ) .. table.concat(tiers)
  call("SET", S, packed)
end

-- Whole milliseconds are told as a number, others as text: an answer has no fractions.
local function said(time)
  return time == math.floor(time) and time or format("%.17g", time)
end

-- Keeps all, and tells what the verb says, and how the shard stands now: the first eleven numbers of its record. That is kept, too,
-- for the case that it gets lost on its way.
local function answer(told)
  keep()
  local stands = { r.queued, r.leased, r.delayed, r.pending, r.free }
  for _, time in ipairs({ r.ready, r.expiry, r.wake, r.due }) do
    stands[#stands + 1] = said(time)
  end
  stands[10], stands[11] = r.last, r.spilled
  local whole = { told, stands }
  call("SET", last_answer, cmsgpack.pack(ARGV[3], whole), "PX", 3600000)
  return whole
end
