-- What all verbs share; it stands before each of them.
-- KEYS[1]  the shard: trawl:{CRAWL/NUMBER}. Every other key is this one and a suffix, so that all are in one slot:
--            (itself)        hash    queued, leased, delayed, hosts; token (the last one given); end:REASON
--            :seen:BUCKET    hash    fingerprint -> id, or -id when it is only recorded as dropped
--            :names          hash    host -> its order: 16 digits of the id by which it became known, or
--                                  of the id given last and its name, where it was no URL of its own
--            :host:ORDER     hash    see `host`
--            :q:ORDER:CLASS  list    rows that wait, in the order of their ids     :back:ORDER  list  rows that were given back
--            :tiers          zset    tiers in use                 :due:TIER    zset  order by time, of hosts below their share
--            :over:TIER      zset    the same, of hosts that hold their share and could have more
--            :leases         hash    token -> order, owner, row   :expiry      zset  token by time
--            :later          hash    id -> order, row             :delayed     zset  id by time
--            :tries          hash    id -> attempt, when it is not the first
--            :retries        hash    id -> attempt, time: of URLs that were put off and have not ended
--            :ended          hash    id -> reason, host, row      :visits      hash  id -> lines of ordinal, host, record
--            :state  :robots  :reached   hashes  host -> state, robots.txt, the one that was reached   :requests  list
-- ARGV[1]  now, ms   ARGV[2]  leases a host may have   ARGV[3]  its share of them
-- A row is id, class, bucket/fingerprint, and what only the client reads, with tabs between. Times and ids stay strings:
-- tostring() would cut them to 14 digits.
local shard = KEYS[1]
local now = tonumber(ARGV[1])
local concurrency = tonumber(ARGV[2])
local share = tonumber(ARGV[3])
local CLASSES = 8

local call = redis.call
local touched = {}

local function digits(number)
  return string.format("%016.0f", number)
end

local function split(text)
  local at = string.find(text, "\t", 1, true)
  return string.sub(text, 1, at - 1), string.sub(text, at + 1)
end

local function id_of(row)
  return (split(row))
end

local function class_of(row)
  return tonumber((split(select(2, split(row)))))
end

-- Of each class: how many rows wait in it, its next turn.
local OF_CLASS = { "c", "t" }
local NUMBERS = { "tier", "leased", "waiting", "delayed", "aside", "back", "time" }

-- A host: name, ready, kept (what an opening begins with: the time that the last commit left), tier, leased, waiting,
-- delayed, aside (1: set aside), back (rows given back), time (the turn served last), those of `OF_CLASS` with the number of
-- the class behind, place (the set it stands in). Written by `finish`.
local function host(order)
  local one = touched[order]
  if one then
    return one
  end
  one = { order = order, ready = "0", kept = "0", place = "" }
  local flat = call("HGETALL", shard .. ":host:" .. order)
  for i = 1, #flat, 2 do
    one[flat[i]] = flat[i + 1]
  end
  for _, name in ipairs(NUMBERS) do
    one[name] = tonumber(one[name] or 0)
  end
  for class = 0, CLASSES - 1 do
    for _, name in ipairs(OF_CLASS) do
      one[name .. class] = tonumber(one[name .. class] or 0)
    end
  end
  one.pending = one.waiting + one.leased + one.delayed > 0
  touched[order] = one
  return one
end

-- A host by its name; one that is new gets this order and this tier.
local function meet(name, order, tier)
  local before = call("HGET", shard .. ":names", name)
  if before then
    return host(before)
  end
  call("HSET", shard .. ":names", name, order)
  local one = host(order)
  one.name, one.tier = name, tonumber(tier)
  return one
end

local function place(one)
  local to = ""
  if one.waiting > 0 and one.leased < concurrency and one.aside == 0 then
    to = (one.leased < share and ":due:" or ":over:") .. one.tier
    call("ZADD", shard .. ":tiers", one.tier, one.tier)
    call("ZADD", shard .. to, one.ready, one.order)
  end
  if one.place ~= "" and one.place ~= to then
    call("ZREM", shard .. one.place, one.order)
  end
  one.place = to
end

local function count(name, by)
  call("HINCRBY", shard, name, by)
end

local function finish()
  for order, one in pairs(touched) do
    place(one)
    local pending = one.waiting + one.leased + one.delayed > 0
    if pending ~= one.pending then
      count("hosts", pending and 1 or -1)
      one.pending = pending
    end
    local fields = { "name", one.name, "ready", one.ready, "kept", one.kept, "place", one.place }
    for _, name in ipairs(NUMBERS) do
      fields[#fields + 1] = name
      fields[#fields + 1] = one[name]
    end
    for class = 0, CLASSES - 1 do
      for _, name in ipairs(OF_CLASS) do
        fields[#fields + 1] = name .. class
        fields[#fields + 1] = one[name .. class]
      end
    end
    call("HSET", shard .. ":host:" .. order, unpack(fields))
  end
end

-- Of rows that begin to wait, whichever list they went to.
local function wait(one, rows)
  one.waiting = one.waiting + rows
  count("queued", rows)
end

local function give_back(one, row, at_end)
  call(at_end and "RPUSH" or "LPUSH", shard .. ":back:" .. one.order, row)
  one.back = one.back + 1
  wait(one, 1)
end

-- At its end; `back`: in the place of its admission, where everything else in the class was admitted later.
local function push(one, row, class, back)
  if one["c" .. class] == 0 then
    one["t" .. class] = one.time + 2 ^ class
  end
  call(back and "LPUSH" or "RPUSH", shard .. ":q:" .. one.order .. ":" .. class, row)
  one["c" .. class] = one["c" .. class] + 1
  wait(one, 1)
end

-- The row whose turn it is: of those given back the first, else the first of the class whose turn is the earliest.
local function shift(one)
  wait(one, -1)
  if one.back > 0 then
    one.back = one.back - 1
    return call("LPOP", shard .. ":back:" .. one.order)
  end
  local best, left = nil, -1
  for class = 0, CLASSES - 1 do
    local size = one["c" .. class]
    left = left + size
    if size > 0 and (best == nil or one["t" .. class] < one["t" .. best]) then
      best = class
    end
  end
  one.time = left > 0 and one["t" .. best] or 0
  one["t" .. best] = one["t" .. best] + 2 ^ best
  one["c" .. best] = one["c" .. best] - 1
  return call("LPOP", shard .. ":q:" .. one.order .. ":" .. best)
end

-- Takes an open lease out; its host and its row, or nil when it is not open. `ready` may be "inf": the host is set aside.
local function close(token, ready, tier)
  local lease = call("HGET", shard .. ":leases", token)
  if not lease then
    return nil
  end
  local order, rest = split(lease)
  local one = host(order)
  call("HDEL", shard .. ":leases", token)
  call("ZREM", shard .. ":expiry", digits(tonumber(token)))
  count("leased", -1)
  one.leased = one.leased - 1
  if ready == "inf" then
    one.aside = 1
  elseif tonumber(ready) > tonumber(one.ready) then
    one.ready = ready
  end
  if tier ~= "" then
    one.tier = tonumber(tier)
  end
  return one, select(2, split(rest))
end

-- After a commit: a host that is set aside is so for this opening alone.
local function keep_clock(one)
  one.kept = one.aside == 1 and "0" or one.ready
end

local function put_off(one, row, at)
  local id = id_of(row)
  call("HSET", shard .. ":later", id, one.order .. "\t" .. row)
  call("ZADD", shard .. ":delayed", at, digits(tonumber(id)))
  one.delayed = one.delayed + 1
  count("delayed", 1)
end

local function older(id)
  local attempt = tonumber(call("HGET", shard .. ":tries", id) or 1) + 1
  call("HSET", shard .. ":tries", id, attempt)
  return attempt
end

-- Brings leases and delays up to `now`: what has expired goes to the head, the one leased first in front; what is due to the end.
local function refresh()
  local expired = call("ZRANGEBYSCORE", shard .. ":expiry", "-inf", ARGV[1])
  table.sort(expired)
  for i = #expired, 1, -1 do
    local one, row = close(string.format("%.0f", tonumber(expired[i])), "0", "")
    older(id_of(row))
    give_back(one, row, false)
  end
  for _, member in ipairs(call("ZRANGEBYSCORE", shard .. ":delayed", "-inf", ARGV[1])) do
    local id = string.format("%.0f", tonumber(member))
    local order, row = split(call("HGET", shard .. ":later", id))
    local one = host(order)
    call("ZREM", shard .. ":delayed", member)
    call("HDEL", shard .. ":later", id)
    one.delayed = one.delayed - 1
    count("delayed", -1)
    give_back(one, row, true)
  end
  for _, one in pairs(touched) do
    place(one)
  end
end

-- The best host of a kind ("due", "over") that may be leased now: tier, time, order; or nil.
local function first(kind)
  for _, tier in ipairs(call("ZRANGE", shard .. ":tiers", 0, -1)) do
    local key = shard .. ":" .. kind .. ":" .. tier
    local found = call("ZRANGEBYSCORE", key, "-inf", ARGV[1], "WITHSCORES", "LIMIT", 0, 1)
    if found[1] then
      return { tier, found[2], found[1] }
    end
  end
  return nil
end

-- When the next lease can be had, and when the answers to `first` change by themselves; "" for never.
local function times()
  local ready, wake = math.huge, math.huge
  for _, tier in ipairs(call("ZRANGE", shard .. ":tiers", 0, -1)) do
    for _, kind in ipairs({ ":due:", ":over:" }) do
      local key = shard .. kind .. tier
      local head = call("ZRANGE", key, 0, 0, "WITHSCORES")
      if head[2] then
        ready = math.min(ready, tonumber(head[2]))
      end
      local coming = call("ZRANGEBYSCORE", key, "(" .. ARGV[1], "+inf", "WITHSCORES", "LIMIT", 0, 1)
      if coming[2] then
        wake = math.min(wake, tonumber(coming[2]))
      end
    end
  end
  for _, kind in ipairs({ ":expiry", ":delayed" }) do
    local head = call("ZRANGE", shard .. kind, 0, 0, "WITHSCORES")
    if head[2] then
      wake = math.min(wake, tonumber(head[2]))
    end
  end
  for from = 0, math.huge, 64 do
    local page = call("ZRANGE", shard .. ":delayed", from, from + 63, "WITHSCORES")
    for i = 1, #page, 2 do
      local at = tonumber(page[i + 1])
      if at >= ready then
        page = {}
        break
      end
      local one = host((split(call("HGET", shard .. ":later", string.format("%.0f", tonumber(page[i]))))))
      if one.leased < concurrency and one.aside == 0 then
        ready = math.min(ready, math.max(at, tonumber(one.ready)))
      end
    end
    if #page < 128 then
      break
    end
  end
  local function said(time)
    return time == math.huge and "" or string.format("%.17g", time)
  end
  return said(ready), said(wake)
end

-- Writes what was touched, and says how the shard stands: 6 strings, then tier, time, order of the best host due, then of the
-- best one over its share ("" where there is none).
local function standing()
  finish()
  local ready, wake = times()
  local counts = call("HMGET", shard, "queued", "leased", "delayed", "hosts")
  local told = { counts[1] or "0", counts[2] or "0", counts[3] or "0", counts[4] or "0", ready, wake }
  for _, kind in ipairs({ "due", "over" }) do
    local best = first(kind) or { "", "", "" }
    for i = 1, 3 do
      told[#told + 1] = best[i]
    end
  end
  return told
end
