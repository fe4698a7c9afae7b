-- The beginning and the end of a verb: the shard is brought up to now, and what was changed is kept.

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
  place_hosts()
  if not ready_stands then
    r.ready = next_ready()
  end
  local tiers, tier_texts = r.tiers, ""
  for i = 1, #tiers, 3 do
    tier_texts = tier_texts .. pack(TIER, tiers[i], tiers[i + 1], tiers[i + 2])
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
    #tiers / 3
  ) .. tier_texts
  call("SET", S, packed)
end

-- Keeps all, and tells what the verb says, and how the shard stands now. The first is kept, too, for the case that it gets lost on its way.
local function answer(told)
  keep()
  call("SET", last_answer, cmsgpack.pack(ARGV[3], told), "PX", "3600000")
  return { told, stands() }
end
