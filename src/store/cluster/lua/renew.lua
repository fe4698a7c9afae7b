-- What a first start that failed has left of a crawl goes, if nobody else is there who goes on with it; but for the count of lives: no
-- crawler may be given the number that it had before.
-- KEYS[1]  trawl:{CRAWL}   ARGV[1]  the crawler that asks, "" for none
-- Result: 1 when nothing is left; 0: the crawl has begun, or is about to
verb("renew", function()
  if call("HEXISTS", KEYS[1], "fact:startedAt") == 1 or call("HGET", KEYS[1], "fact:moving") == "in" then
    return 0
  end
  for _, member in ipairs(call("HKEYS", KEYS[1] .. ":members")) do
    if member ~= ARGV[1] then
      return 0
    end
  end
  local lives = call("HGET", KEYS[1], "lives")
  call("DEL", KEYS[1], KEYS[1] .. ":segments")
  if lives then
    call("HSET", KEYS[1], "lives", lives)
  end
  return 1
end)
