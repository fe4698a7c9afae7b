-- Leases on the hosts that are due: of the lowest tier first, and of these the one due first; hosts that hold their share after
-- all others.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8] how many   ARGV[9] good for, ms   ARGV[10] shards in all   ARGV[11] number of this one
-- Result: leases (token, id, attempt, tier, host, level of cash, pointer to its latest record, pointer to that with which it ended last,
-- the two words of its fingerprint, whether others have leased of its host since OWNER did, tail of the row), and ids whose
-- rows must be brought back before more can be leased; then how the shard stands
shard_verb("lease", function()
  refresh()
  local most, expires = tonumber(ARGV[8]), now + tonumber(ARGV[9])
  local until_then = time_text(expires)
  local shards, number = tonumber(ARGV[10]), tonumber(ARGV[11])
  local given, opened, count, away = {}, {}, 0, {}

  -- Takes ids off the head of a class that the short list has taken before: of all, or up to one that waits there.
  local function sweep(one, c, i, most_of_them)
    local key
    while c[i + 3] > 0 and most_of_them > 0 do
      key = key or S .. ":q:" .. char(48 + c[i]) .. ":" .. one.order
      local id = tonumber(call("LPOP", key))
      local row = read(id)
      if not row or byte(row, 3) ~= c[i] + 48 then
        call("LPUSH", key, format("%d", id))
        return
      end
      write(id, sub(row, 1, 2) .. "-" .. sub(row, 4))
      c[i + 3] = c[i + 3] - 1
      most_of_them = most_of_them - 1
    end
  end

  -- Whether the short list has the turn; else the class that has it, by its place among the host's classes.
  local function turn(one)
    if one.short ~= "" and one.turns < SHORT_LIST_TURNS then
      return true
    end
    local c, i = classes(one), nil
    for at = 1, #c, 4 do
      if c[at + 1] > 0 and (not i or c[at + 2] < c[i + 2] or (c[at + 2] == c[i + 2] and c[at] < c[i])) then
        i = at
      end
    end
    return false, i
  end

  -- The URL whose turn it is, its row, which is out from now on, and its level if the short list says it; nil and an id: nothing is changed, its row is spilled.
  local function shift(one)
    if one.back > 0 then
      one.back = one.back - 1
      wait(one, -1)
      local id = tonumber(call("LPOP", S .. ":back:" .. one.order))
      return id, read(id)
    end
    local id, row, level
    local c = classes(one)
    local listed, i = turn(one)
    if listed then
      id, level = first_listed(one)
      row = read(id)
      if not row then
        return nil, id
      end
      c, i = class_at(one, byte(row, 2) - 48)
      c[i + 3] = c[i + 3] + 1
      row = "o" .. sub(row, 2, 2) .. sub(row, 2, 2) .. sub(row, 4)
    else
      sweep(one, c, i, math.huge)
      local key = S .. ":q:" .. char(48 + c[i]) .. ":" .. one.order
      id = tonumber(call("LPOP", key))
      row = read(id)
      if not row then
        call("LPUSH", key, format("%d", id))
        return nil, id
      end
      one.time = c[i + 2]
      c[i + 2] = one.time + 2 ^ c[i]
      row = "o" .. sub(row, 2)
    end
    write(id, row)
    not_listed(one, id)
    one.turns = listed and one.turns + 1 or 0
    c[i + 1] = c[i + 1] - 1
    wait(one, -1)
    if c[i + 1] == 0 then
      sweep(one, c, i, ROWS)
    end
    return id, row, level
  end

  -- What would be leased of the host, if its row is spilled: so that all is brought back at once that is about to be asked for.
  local function look_ahead(one)
    if one.back > 0 then
      return
    end
    local listed, i = turn(one)
    local id = listed and first_listed(one)
      or tonumber(call("LINDEX", S .. ":q:" .. char(48 + classes(one)[i]) .. ":" .. one.order, "0"))
    if not read(id) then
      away[#away + 1] = id
    end
  end

  local function lease(one)
    local id, row, level = shift(one)
    if not id then
      away[1] = row
      return false
    end
    r.token = r.token + 1
    r.leased = r.leased + 1
    one.leased = one.leased + 1
    local token = r.token * shards + number
    count = count + 1
    opened[2 * count - 1] = until_then
    opened[2 * count] = format("%016d:%d:%s", token, id, ARGV[2])
    local moved = one.lessee ~= ARGV[2] and 1 or 0
    one.lessee = ARGV[2]
    local length = byte(row, 16)
    local _, visit, previous, attempt = "", "", "", 1
    if length > 0 then
      _, visit, previous, attempt = fields(row)
      attempt = attempt == "" and 1 or tonumber(attempt)
    end
    if seed == "" then
      level = 0
    elseif not level then
      level = level_of(row)
    end
    local lo, hi = unpack_from("<I4I4", row, 4)
    given[count] = { token, id, attempt, one.tier, one.name, level, visit, previous, hi, lo, moved, sub(row, 17 + length) }
    return true
  end

  -- Leases on one host as long as it stays where it is: there it is the first.
  local function serve(one)
    local set, tier = one.set, one.set_tier
    while count < most and one.set == set and one.set_tier == tier do
      if not lease(one) then
        return false
      end
      put_in_place(one)
    end
    return count < most
  end

  local function serve_all(set)
    local tiers = {}
    for i = 1, #r.tiers, 3 do
      if r.tiers[i + set] > 0 then
        tiers[#tiers + 1] = r.tiers[i]
      end
    end
    for _, tier in ipairs(tiers) do
      place_hosts()
      local due = call("ZRANGEBYSCORE", format("%s%s%d", S, SETS[set], tier), "-inf", ARGV[1], "LIMIT", "0", format("%d", most - count))
      for _, order in ipairs(due) do
        if away[1] then
          look_ahead(host(order))
        elseif not serve(host(order)) and not away[1] then
          return false
        end
      end
      if away[1] then
        return false
      end
    end
    return true
  end

  for _, one in pairs(touched) do
    put_in_place(one)
  end
  if serve_all(1) then
    serve_all(2)
  end
  if count > 0 then
    call("ZADD", S .. ":leases", unpack(opened))
    if r.expiry < 0 or expires < r.expiry then
      r.expiry = expires
    end
  end
  return answer({ given, away })
end)
