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
-- Tables are used again, call after call, which saves a third of what a host costs; but no more of them than a call of the usual size needs.
local POOL, MOST_POOLED, used = {}, 512, 0
-- Names that are new, and their orders; hosts that are not where they should be.
local new_names, moving

know_hosts = function()
  used, new_names, moving = 0, {}, {}
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
  one.classes, one.retimed, one.is_moving = nil, false, false
  return one
end

-- `text`: as it stands in :hosts, if that was read.
local function host(order, text)
  local one = touched[order]
  if one then
    return one
  end
  one = blank()
  one.order = order
  one.ready, one.kept, one.time, one.tier, one.leased, one.delayed, one.waiting, one.back, one.aside, one.turns, one.set, one.set_tier, one.name, one.lessee, one.class_text, one.short =
    unpack_from(HOST, text or call("HGET", S .. ":hosts", order))
  one.was_pending, one.was_in, one.was_in_tier = one.waiting + one.leased + one.delayed > 0, one.set, one.set_tier
  touched[order] = one
  return one
end

-- One that nobody has met; it gets this tier.
local function new_host(name, tier)
  r.known = r.known + 1
  local one, order = blank(), pack(">I4", r.known)
  new_names[#new_names + 1] = name
  new_names[#new_names + 1] = order
  one.order, one.name, one.tier, one.lessee, one.class_text, one.short = order, name, tonumber(tier), "", "", ""
  one.ready, one.kept, one.time, one.leased, one.delayed, one.waiting, one.back = 0, 0, 0, 0, 0, 0, 0
  one.aside, one.turns, one.set, one.set_tier, one.was_pending, one.was_in, one.was_in_tier = 0, 0, 0, 0, false, 0, 0
  touched[order] = one
  return one
end

-- Hosts by their names, each named once: those orders and texts of theirs that are known, in the same places.
local function look_up_hosts(names)
  local orders, texts = {}, {}
  if #names > 0 then
    orders = call("HMGET", S .. ":names", unpack(names))
    local known, places = {}, {}
    for i = 1, #names do
      if orders[i] then
        known[#known + 1] = orders[i]
        places[#known] = i
      end
    end
    if #known > 0 then
      local told = call("HMGET", S .. ":hosts", unpack(known))
      for i = 1, #known do
        texts[places[i]] = told[i]
      end
    end
  end
  return orders, texts
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
  local text = not one.classes and one.class_text
  if text then
    local at = 1
    while at < #text and byte(text, at) ~= class do
      at = at + CLASS_BYTES
    end
    local waiting = at < #text and unpack_from("<I4", text, at + 1)
    if not waiting then
      one.class_text = text .. pack(CLASSES[1], class, urls, one.time + 2 ^ class, 0)
    elseif waiting > 0 then
      one.class_text = sub(text, 1, at) .. pack("<I4", waiting + urls) .. sub(text, at + 5)
    end
    if waiting ~= 0 then
      wait(one, urls)
      return
    end
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
