-- A crawler says that it is there, and hears who else is.
-- KEYS[1]  trawl:{CRAWL}:members: hash of id -> what it says of itself
-- ARGV[1]  id, "" for one that only looks or leaves   ARGV[2]  what it says
-- ARGV[3...]  id, what it said; and so on: who is forgotten, unless he has said something else since
-- Result: what was said under this id before ("": nothing); then id and what it says, of all
verb("beat", function()
  local before = ARGV[1] ~= "" and call("HGET", KEYS[1], ARGV[1]) or ""
  if ARGV[1] ~= "" then
    call("HSET", KEYS[1], ARGV[1], ARGV[2])
  end
  for i = 3, #ARGV, 2 do
    if call("HGET", KEYS[1], ARGV[i]) == ARGV[i + 1] then
      call("HDEL", KEYS[1], ARGV[i])
    end
  end
  return { before or "", call("HGETALL", KEYS[1]) }
end)
