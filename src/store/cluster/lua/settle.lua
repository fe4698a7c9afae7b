-- Settles leases, and keeps what a commit says of hosts; of a lease that is not current nothing is taken.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8]     number of leases
-- ARGV[9...]  for each: TOKEN:ID:OWNER as in :leases, verdict ("end", "drop", "retry", "again", "follow"), host ready at ("inf": set
--             aside), its tier ("": as it is), reason of the end, time of the retry or new tail of the row, pointer to the
--             record ("": none), when it is due again ("": never)
-- and then    for each host: ":state", ":robots" or ":reached", host, its tier if it is new, text. Not kept when another crawler has
--             leased there since; nor, of a call that is made again, when a later commit has said something else
-- Result: for each lease 1 or 0; then how the shard stands

-- The ordinal of the commit that a text is of.
local function commit_of(part, text)
  return part == ":state" and cjson.decode(text).commit or tonumber(string.match(text, "^[^.]*"), 36)
end

local function is_older(part, name, text)
  local kept = ARGV[4] == "1" and call("HGET", S .. part, name)
  return kept and commit_of(part, text) < commit_of(part, kept)
end

shard_verb("settle", function()
  refresh()
  local told, members, current = {}, {}, {}
  local at, leases = 9, tonumber(ARGV[8])
  for i = 1, leases do
    members[i] = ARGV[2 + 7 * i]
  end
  local times = leases > 0 and call("ZMSCORE", S .. ":leases", unpack(members))
  for i = 1, leases do
    if times[i] then
      current[#current + 1] = members[i]
    end
  end
  if #current > 0 then
    call("ZREM", S .. ":leases", unpack(current))
  end
  for i = 1, leases do
    local member, verdict, ready, tier = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
    local argument, pointer, due = ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]
    at = at + 7
    local open = times[i] and 1 or 0
    told[i] = open
    if open == 1 then
      local id = id_in(member)
      local row = read(id)
      local one = host(sub(row, 12, 15))
      close(one, ready, tier)
      local _, visit, previous, attempt, kept, put_off_to, place = fields(row)
      if pointer ~= "" then
        visit = pointer
      end
      if verdict == "end" or verdict == "drop" then
        ends[argument] = (ends[argument] or 0) + 1
        local letter = "e"
        if verdict == "drop" and previous == "" then
          letter = "x"
          drop_seen(row, id)
        elseif due ~= "" then
          call("ZADD", S .. ":again", due, pack(">I4", id))
          r.due = earliest(":again")
        end
        write(id, remade(row, letter, argument .. (visit == "" and "" or "," .. visit)))
      elseif verdict == "retry" then
        attempt = (attempt == "" and 1 or tonumber(attempt)) + 1
        write(id, remade(row, "o", joined("", visit, previous, attempt, attempt, argument, place)))
        put_off(one, id, argument)
      else
        if verdict == "follow" then
          row = sub(row, 1, 16 + byte(row, 16)) .. argument
        end
        if pointer ~= "" or verdict == "follow" then
          write(id, remade(row, "o", joined("", visit, previous, attempt, kept, put_off_to, place)))
        end
        give_back(one, id, false)
      end
      one.kept = one.aside == 1 and 0 or one.ready
    end
  end
  local texts = { [":state"] = {}, [":robots"] = {}, [":reached"] = {} }
  local met = {}
  for _, one in pairs(touched) do
    met[one.name] = one
  end
  while at <= #ARGV do
    local part, name = ARGV[at], ARGV[at + 1]
    local one = met[name]
    if not one then
      local order = call("HGET", S .. ":names", name)
      one = order and host(order) or new_host(name, ARGV[at + 2])
      met[name] = one
    end
    if (one.lessee == "" or one.lessee == ARGV[2]) and not is_older(part, name, ARGV[at + 3]) then
      if part == ":state" then
        one.kept = one.aside == 1 and 0 or one.ready
      end
      local some = texts[part]
      some[#some + 1] = name
      some[#some + 1] = ARGV[at + 3]
    end
    at = at + 4
  end
  for part, some in pairs(texts) do
    if #some > 0 then
      call("HSET", S .. part, unpack(some))
    end
  end
  return answer(told)
end)
