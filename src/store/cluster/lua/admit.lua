-- Admits URLs, each in one step: seen and queued, or seen and recorded as dropped; and gives cash to what is known.
-- ARGV[8]     what, one after the other (PART): fingerprint and its first word, kind (0 a URL, 1 a drop, 2 cash alone), class, number of the
--             host from 0, level that it begins with if it is new, cash that the link gives if it is known, id of the page that gives it
--             where it is in this shard (0 else), text: of a drop the fields of the row, its length (1 byte) in front, then the tail
-- ARGV[9...]  hosts: name, tier if it is new; and so on
-- Result: for each 256 + level (newly queued), level (it was), -1 (unknown, or only dropped before), -2 (newly recorded as dropped), or
-- -10 - id: nothing is done, the row of that id must be brought back first; then how the shard stands
shard_verb("admit", function()
  local PART = "<c8I4BBI2BdI4I2c0"
  refresh()

  -- What is to be queued: of each host the ids by class.
  local queues = {}

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

  local function admit(fingerprint, kind, class, nth, level, text, id)
    local name = ARGV[9 + 2 * nth]
    local one = met[name] or meet(name, ARGV[10 + 2 * nth])
    if kind == 1 then
      fresh[id - base] = "d--" .. fingerprint .. one.order .. text
      local reason = sub(text, 2, 2)
      ends[reason] = (ends[reason] or 0) + 1
      return -2
    end
    fresh[id - base] = char(113, 48 + class, 45) .. fingerprint .. one.order .. "\0" .. text
    local queue = queues[one]
    if not queue then
      queue = {}
      queues[one] = queue
    end
    local ids = queue[class]
    if not ids then
      ids = {}
      queue[class] = ids
    end
    ids[#ids + 1] = id
    if seed ~= "" then
      offer(one, id, level)
    end
    return 256 + level
  end

  local blob, at, told, size = ARGV[8], 1, {}, 0
  while at <= #blob do
    local fingerprint, word, kind, class, nth, level, gift, page, text
    fingerprint, word, kind, class, nth, level, gift, page, text, at = unpack_from(PART, blob, at)
    local says
    if kind == 2 then
      local value = find_seen(fingerprint, word) or -1
      says = value < 0 and -1 or give(fingerprint, word, value, gift, page)
    else
      local id = r.last + 1
      local value = kind == 0 and id * 256 + level or -256 * id
      local known = meet_seen(fingerprint, word, value)
      local new = not known
      if known and known >= 0 then
        says = kind == 0 and give(fingerprint, word, known, gift, page) or known % 256
      elseif known and kind == 1 then
        says = -1
      elseif known then
        -- It was only dropped, and is wanted after all: the record of that goes.
        local old = math.floor(-known / 256)
        local row = read(old)
        if row then
          local reason = fields(row)
          ends[reason] = (ends[reason] or 0) - 1
          write(old, "")
          change_seen(fingerprint, word, value)
          new = true
        else
          says = -10 - old
        end
      end
      if new then
        r.last = id
        says = admit(fingerprint, kind, class, nth, level, text, id)
      end
    end
    size = size + 1
    told[size] = says
  end
  for one, queue in pairs(queues) do
    for class = 0, 7 do
      local ids = queue[class]
      if ids then
        count_in(one, class, #ids)
        call("RPUSH", S .. ":q:" .. char(48 + class) .. ":" .. one.order, unpack(ids))
      end
    end
  end
  make_room()
  return answer(told)
end)
