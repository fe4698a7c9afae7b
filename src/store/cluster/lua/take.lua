-- Takes the ordinal of a segment that will be written, and notes it as open.
-- KEYS[1]  trawl:{CRAWL}:segments   hash: last; open:ORDINAL; refused:ORDINAL -> indices of entries
-- Result: the ordinal; or the error GONE: Redis has lost what it knew of segments
verb("take", function()
  if call("HEXISTS", KEYS[1], "last") == 0 then
    return redis.error_reply("GONE nobody knows which ordinal was the last")
  end
  local ordinal = call("HINCRBY", KEYS[1], "last", 1)
  call("HSET", KEYS[1], "open:" .. ordinal, "")
  return ordinal
end)
