-- Admits URLs, each in one step: seen and queued, or seen and recorded as dropped; and gives cash to what is known.
-- ARGV[8]     what, one after the other (struct "<c8BBI2ddI4I2c0"): fingerprint, kind (0 a URL, 1 a drop, 2 cash
--             alone), class, number of the host from 0, cash that the link gives, cash that the URL begins with, id of the page
--             that gives it where it is in this shard (0 else), tail of the row (for a drop with its fields in front)
-- ARGV[9...]  hosts: name, tier if it is new; and so on
-- Result: for each 256 + level (newly queued), level (it was), -1 (unknown, or only dropped before), -2 (newly recorded as dropped), or
-- -10 - id: nothing is done, the row of that id must be brought back first; then how the shard stands
refresh()

-- A URL that is known and not dropped gets more.
local function give(key, fingerprint, value, gift, page)
  local level = value % 256
  local id = (value - level) / 256
  if seed == "" or gift == 0 or id == page then
    return level
  end
  local to = after(level, gift)
  if to == level then
    return level
  end
  local row = read(id)
  if not row and string.find(call("HGET", S .. ":spilled", (id - 1 - (id - 1) % ROWS) / ROWS) or "", "+", 1, true) then
    return -10 - id
  end
  call("HSET", key, fingerprint, value + to - level)
  if row and string.byte(row, 1) == 113 then
    local _, _, previous = fields(row)
    if previous == "" then
      offer(host(order_in(row)), id, to)
    end
  end
  return to
end

-- What was only dropped is wanted after all: its record goes.
local function undo(id)
  local row = read(id)
  ended(fields(row), -1)
  write(id, "")
end

local function split_buckets()
  while r.seen > r.buckets * IN_BUCKET do
    local new = r.buckets
    local from = S .. ":seen:" .. (new - low)
    local all, gone, moved = call("HGETALL", from), {}, {}
    for i = 1, #all, 2 do
      if struct.unpack("<I4", all[i]) % (low * 2) == new then
        gone[#gone + 1] = all[i]
        moved[#moved + 1] = all[i]
        moved[#moved + 1] = all[i + 1]
      end
    end
    if #gone > 0 then
      call("HDEL", from, unpack(gone))
      call("HSET", S .. ":seen:" .. new, unpack(moved))
    end
    r.buckets = new + 1
    if r.buckets == low * 2 then
      low = r.buckets
    end
  end
end

local blob, at, told = ARGV[8], 1, {}
while at <= #blob do
  local fingerprint, kind, class, nth, gift, begins, page, text
  fingerprint, kind, class, nth, gift, begins, page, text, at = struct.unpack("<c8BBI2ddI4I2c0", blob, at)
  local key = bucket(fingerprint)
  local says
  if kind == 2 then
    local value = tonumber(call("HGET", key, fingerprint) or -1)
    says = value < 0 and -1 or give(key, fingerprint, value, gift, page)
  else
    local level = kind == 0 and seed ~= "" and after(1, gift + begins) or 0
    local id = r.last + 1
    local value = kind == 0 and id * 256 + level or -256 * id
    local new = call("HSETNX", key, fingerprint, value) == 1
    if new then
      r.seen = r.seen + 1
    else
      local known = tonumber(call("HGET", key, fingerprint))
      if known > 0 then
        says = kind == 0 and give(key, fingerprint, known, gift, page) or known % 256
      elseif kind == 1 then
        says = -1
      elseif not read(math.floor(-known / 256)) then
        says = -10 - math.floor(-known / 256)
      else
        undo(math.floor(-known / 256))
        call("HSET", key, fingerprint, value)
        new = true
      end
    end
    if new then
      local one = meet(ARGV[9 + 2 * nth], ARGV[10 + 2 * nth])
      local head = class .. "-" .. fingerprint .. one.order
      if kind == 0 then
        append("q" .. head .. "\0" .. text)
        push(one, id, class)
        if seed ~= "" then
          offer(one, id, level)
        end
        says = 256 + level
      else
        append("d" .. head .. text)
        ended(fields(fresh[id - base]), 1)
        says = -2
      end
    end
  end
  told[#told + 1] = says
end
split_buckets()
return answer(told)
