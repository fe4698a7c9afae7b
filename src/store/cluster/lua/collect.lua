-- A crawler takes the addition that has waited longest. Until it says that it has admitted it no other is given it, unless
-- it takes too long or the other has nothing else to do.
-- KEYS[1]  as in `post`; KEYS[1]:bad: hash of number -> what could not be read
-- ARGV[1]  now, ms, "+inf" for one who has nothing else to do   ARGV[2]  until when it is this crawler's
-- ARGV[3]  number of the one before, "" for none   ARGV[4]  what becomes of that: "admitted" or "bad"
-- Result: 1 while the crawl is to pause, else 0; then number and addition, if there is one
verb("collect", function()
  local due = KEYS[1] .. ":due"
  if ARGV[3] ~= "" then
    local text = call("HGET", KEYS[1], ARGV[3])
    if text and ARGV[4] == "bad" then
      call("HSET", KEYS[1] .. ":bad", ARGV[3], text)
    end
    call("HDEL", KEYS[1], ARGV[3])
    call("ZREM", due, ARGV[3])
  end
  local told = { call("HEXISTS", KEYS[1], "paused") }
  local number = call("ZRANGEBYSCORE", due, "-inf", ARGV[1], "LIMIT", 0, 1)[1]
  if number then
    call("ZADD", due, ARGV[2], number)
    told[2] = number
    told[3] = call("HGET", KEYS[1], number)
  end
  return told
end)
