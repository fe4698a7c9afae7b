-- Puts an addition into the inbox.
-- KEYS[1]  trawl:{CRAWL}:inbox: hash of number -> addition; last: the number given last; paused, while it is to pause
--          KEYS[1]:due: sorted set of numbers, by the time from which a crawler may take them
-- ARGV[1]  the addition
-- Result: nothing
local number = string.format("%016d", redis.call("HINCRBY", KEYS[1], "last", 1))
redis.call("HSET", KEYS[1], number, ARGV[1])
redis.call("ZADD", KEYS[1] .. ":due", 0, number)
