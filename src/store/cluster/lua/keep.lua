-- Keeps what is known of hosts beside their URLs, and requests that no visit records.
-- ARGV[4]  the order of a host that becomes known by this   ARGV[5...]  part (":state", ":robots", ":reached", ":copies", ":requests"),
--          host, its tier if it is new, text; and so on
-- Result: nothing; then how the shard stands
refresh()
for i = 5, #ARGV, 4 do
  local part, name, tier, text = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if part == ":requests" or part == ":copies" then
    call("RPUSH", shard .. part, text)
  else
    local one = meet(name, ARGV[4] .. "~" .. name, tier)
    if part == ":state" then
      keep_clock(one)
    end
    call("HSET", shard .. part, name, text)
  end
end
return { {}, standing() }
