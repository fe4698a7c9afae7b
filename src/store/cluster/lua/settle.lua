-- Settles leases, and keeps what a commit says of hosts; of a lease that is not current nothing is taken.
-- ARGV[8]     number of leases
-- ARGV[9...]  for each: TOKEN:ID:OWNER as in :leases, verdict ("end", "drop", "retry", "again", "follow"), host ready at ("inf": set
--             aside), its tier ("": as it is), reason of the end, time of the retry or new tail of the row, pointer to the
--             record ("": none), when it is due again ("": never)
-- and then    for each host: ":state", ":robots" or ":reached", host, its tier if it is new, text. Not kept when another crawler has
--             leased there since
-- Result: for each lease 1 or 0; then how the shard stands
refresh()
local told = {}
local at = 9
for i = 1, tonumber(ARGV[8]) do
  local member, verdict, ready, tier = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local argument, pointer, due = ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]
  at = at + 7
  local id = id_in(member)
  local row = read(id)
  if not call("ZSCORE", S .. ":leases", member) then
    told[i] = 0
  else
    told[i] = 1
    local one = host(order_in(row))
    close(member, one, ready, tier)
    local _, visit, previous, attempt, kept, put_off_to, place = fields(row)
    if pointer ~= "" then
      visit = pointer
    end
    if verdict == "end" or verdict == "drop" then
      ended(argument, 1)
      local dropped = verdict == "drop" and previous == ""
      if dropped then
        local fingerprint = string.sub(row, 4, 11)
        local key = bucket(fingerprint)
        call("HSET", key, fingerprint, -tonumber(call("HGET", key, fingerprint)))
      elseif due ~= "" then
        call("ZADD", S .. ":again", due, struct.pack(">I4", id))
        r.again = r.again + 1
      end
      write(id, with_letter(with_fields(row, argument, visit), dropped and "x" or "e"))
    elseif verdict == "retry" then
      attempt = (attempt == "" and 1 or tonumber(attempt)) + 1
      write(id, with_fields(row, "", visit, previous, attempt, attempt, argument, place))
      put_off(one, id, tonumber(argument))
    else
      if verdict == "follow" then
        row = string.sub(row, 1, 16 + string.byte(row, 16)) .. argument
      end
      if pointer ~= "" or verdict == "follow" then
        write(id, with_fields(row, "", visit, previous, attempt, kept, put_off_to, place))
      end
      give_back(one, id, false)
    end
    keep_clock(one)
  end
end
while at <= #ARGV do
  local part, name, tier, text = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local one = meet(name, tier)
  if one.lessee == "" or one.lessee == ARGV[2] then
    if part == ":state" then
      keep_clock(one)
    end
    call("HSET", S .. part, name, text)
  end
  at = at + 4
end
return answer(told)
