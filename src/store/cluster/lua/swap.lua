-- Changes a field of a hash, if it is as it was read.
-- KEYS[1]  trawl:{CRAWL}   ARGV[1]  field   ARGV[2]  what was read ("": nothing)   ARGV[3]  what it is to be
-- Result: 1, or 0 when somebody else was faster
verb("swap", function()
  local is = call("HGET", KEYS[1], ARGV[1]) or ""
  if is ~= ARGV[2] then
    return 0
  end
  call("HSET", KEYS[1], ARGV[1], ARGV[3])
  return 1
end)
