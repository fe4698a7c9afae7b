-- Admits URLs, each in one step: seen and queued, or seen and recorded as dropped; and gives cash to what is known.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8]      of each the first word of its fingerprint (I4)
-- ARGV[9]      what, one after the other (PART): fingerprint, kind (0 a URL, 1 a drop, 2 cash alone), class, number of the host from 0, level
--              that it begins with if it is new, cash that the link gives if it is known, id of the page that gives it where it is in this
--              shard (0 else), text: of a drop the fields of the row, its length (1 byte) in front, then the tail
-- ARGV[10...]  hosts: name, tier if it is new; and so on
-- Result: for each 256 + level (newly queued), level (it was), -1 (unknown, or only dropped before), -2 (newly recorded as dropped), or
-- -10 - id: nothing is done, the row of that id must be brought back first; then how the shard stands
local PART = "<c8BBI2BdI4I2c0"
local QUEUED = { [0] = "q0-", "q1-", "q2-", "q3-", "q4-", "q5-", "q6-", "q7-" }
local QUEUES = { [0] = ":q:0:", ":q:1:", ":q:2:", ":q:3:", ":q:4:", ":q:5:", ":q:6:", ":q:7:" }

-- The letter of a URL's row, that of one that comes back apart, and the order of its host; nil: its row is spilled, and
-- nothing in its chunk is pending.
local function waits_at(id)
  local row = read(id)
  if row then
    local _, _, previous = fields(row)
    return previous == "" and byte(row, 1) or 114, sub(row, 12, 15)
  end
  local nth = (id - 1) % ROWS
  local spilled = call("HGET", S .. ":spilled", (id - 1 - nth) / ROWS)
  local at = 2 + byte(spilled, 1) + 5 * nth
  return byte(spilled, at), sub(spilled, at + 1, at + 4)
end

-- A URL that is known and not dropped gets more.
local function give(fingerprint, word, value, gift, page)
  local level = value % 256
  local id = (value - level) / 256
  if seed == "" or gift == 0 or id == page then
    return level
  end
  local to = after(level, gift)
  if to == level then
    return level
  end
  change_seen(fingerprint, word, value + to - level)
  local letter, order = waits_at(id)
  if letter == 113 then
    local one = host(order)
    not_listed(one, id)
    offer(one, id, to)
  end
  return to
end

-- It was only dropped, and is wanted after all: the record of that goes. False: its row is spilled.
local function undrop(old, fingerprint, word, value)
  local row = read(old)
  if not row then
    return false
  end
  local reason = fields(row)
  ends[reason] = (ends[reason] or 0) - 1
  write(old, "")
  change_seen(fingerprint, word, value)
  return true
end

local function record_drop(fingerprint, one, text, id)
  fresh[id - base] = "d--" .. fingerprint .. one.order .. text
  local reason = sub(text, 2, 2)
  ends[reason] = (ends[reason] or 0) + 1
end

shard_verb("admit", function()
  ready_stands = not refresh()
  local size = #ARGV[8] / 4
  local words = { unpack_from("<" .. string.rep("I4", size), ARGV[8]) }
  words[size + 1] = nil -- where the text ends
  look_up_seen(words)
  local names = {}
  for i = 10, #ARGV, 2 do
    names[#names + 1] = ARGV[i]
  end
  local orders, texts = look_up_hosts(names)

  -- Hosts that get something to do, and of each the ids by class.
  local hosts, fed, queues = {}, {}, {}
  local blob, at, told = ARGV[9], 1, {}
  for i = 1, size do
    local fingerprint, kind, class, nth, level, gift, page, text
    fingerprint, kind, class, nth, level, gift, page, text, at = unpack_from(PART, blob, at)
    local word, says = words[i], nil
    if kind == 2 then
      local value = find_seen(fingerprint, word) or -1
      says = value < 0 and -1 or give(fingerprint, word, value, gift, page)
    else
      local id = r.last + 1
      local value = kind == 0 and id * 256 + level or -256 * id
      local packed = kind == 0 and pack(LISTED, id, level)
      local known = meet_seen(fingerprint, word, value, packed)
      if known and known >= 0 then
        says = kind == 0 and give(fingerprint, word, known, gift, page) or known % 256
      elseif known and kind == 1 then
        says = -1
      elseif known and not undrop(math.floor(-known / 256), fingerprint, word, value) then
        says = -10 - math.floor(-known / 256)
      else
        r.last = id
        nth = nth + 1
        local one = hosts[nth]
        if not one then
          one = orders[nth] and host(orders[nth], texts[nth]) or new_host(names[nth], ARGV[9 + 2 * nth])
          hosts[nth] = one
        end
        if kind == 1 then
          record_drop(fingerprint, one, text, id)
          says = -2
        else
          fresh[id - base] = QUEUED[class] .. fingerprint .. one.order .. "\0" .. text
          local queue = queues[one]
          if not queue then
            queue = {}
            queues[one] = queue
            fed[#fed + 1] = one
          end
          local ids = queue[class]
          if ids then
            ids[#ids + 1] = format("%d", id)
          else
            queue[class] = { format("%d", id) }
          end
          if seed ~= "" then
            offer_new(one, packed, level)
          end
          says = 256 + level
        end
      end
    end
    told[i] = says
  end
  for i = 1, #fed do
    local one = fed[i]
    for class, ids in pairs(queues[one]) do
      count_in(one, class, #ids)
      call("RPUSH", S .. QUEUES[class] .. one.order, unpack(ids))
    end
  end
  make_room()
  return answer(told)
end)
