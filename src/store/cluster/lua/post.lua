-- Puts an addition into the inbox.
-- KEYS[1]  trawl:{CRAWL}:inbox: hash of number -> addition; last: the number given last; paused, while it is to pause
--          KEYS[1]:due: sorted set of numbers, by the time from which a crawler may take them
-- ARGV[1]  the addition
-- Result: nothing
verb("post", function()
  local number = format("%016d", call("HINCRBY", KEYS[1], "last", 1))
  call("HSET", KEYS[1], number, ARGV[1])
  call("ZADD", KEYS[1] .. ":due", 0, number)
end)
