-- Rows, as they are: for looking at a crawl. Changes nothing but what time brings.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8] "ids": of these   "rows": all of a chunk, by its number   "seen": of these fingerprints   "given": id and row, from the
--         object store   ARGV[9...] which
-- Result: for each that is there (of fingerprints that are not known nothing): id, state, host, when it is due again ("": never), pointer to its latest record, reason of its end,
-- level of cash, letter and tail of the row, fingerprint (its high word, its low one); or the id and "gone": there was a drop; or the
-- id, "spilled", and where its chunk is; or 0 and "seen": a filter says so, and no more
shard_verb("tell", function()
  if refresh() then
    keep()
  end
  local leased
  local function state(id, letter)
    if letter == "q" then
      return "queued"
    elseif letter ~= "o" then
      return "ended"
    elseif call("ZSCORE", S .. ":delayed", pack(">I4", id)) then
      return "delayed"
    end
    if not leased then
      leased = {}
      for _, member in ipairs(call("ZRANGE", S .. ":leases", 0, -1)) do
        leased[id_in(member)] = true
      end
    end
    return leased[id] and "leased" or "queued"
  end

  local told = {}
  local function tell(id, row)
    if not row then
      local spilled = call("HGET", S .. ":spilled", (id - 1 - (id - 1) % ROWS) / ROWS)
      told[#told + 1] = { id, "spilled", sub(spilled, 2, 1 + byte(spilled, 1)) }
    elseif row == "" then
      told[#told + 1] = { id, "gone" }
    else
      local letter = sub(row, 1, 1)
      local reason, visit = fields(row)
      local due = r.due >= 0 and call("ZSCORE", S .. ":again", pack(">I4", id)) or ""
      local text = letter .. sub(row, 17 + byte(row, 16))
      local name = host(sub(row, 12, 15)).name
      local lo, hi = unpack_from("<I4I4", row, 4)
      told[#told + 1] = { id, state(id, letter), name, due, visit, reason, level_of(row), text, hi, lo }
    end
  end

  for i = 9, ARGV[8] == "given" and 8 or #ARGV do
    if ARGV[8] == "ids" then
      local id = tonumber(ARGV[i])
      if id >= 1 and id <= r.last then
        tell(id, read(id))
      end
    elseif ARGV[8] == "seen" then
      local value = find_seen(ARGV[i], (unpack_from("<I4", ARGV[i])))
      if value == 0 then
        told[#told + 1] = { 0, "seen" }
      elseif value then
        local id = math.floor(math.abs(value) / 256)
        tell(id, read(id))
      else
        told[#told + 1] = {}
      end
    else
      local first = tonumber(ARGV[i]) * ROWS
      local rows = call("LRANGE", S .. ":u:" .. ARGV[i], 0, -1)
      if #rows == 0 and first < r.last then
        tell(first + 1, nil)
      end
      for nth, row in ipairs(rows) do
        tell(first + nth, row)
      end
    end
  end
  if ARGV[8] == "given" then
    for i = 9, #ARGV, 2 do
      tell(tonumber(ARGV[i]), ARGV[i + 1])
    end
  end
  return told
end, true)
