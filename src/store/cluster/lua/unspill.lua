-- A chunk of rows is back.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8] its number   ARGV[9] where it was read   ARGV[10...] its rows
-- Result: nothing; then how the shard stands. Where it is back already, or elsewhere by now, nothing is changed
shard_verb("unspill", function()
  refresh()
  local spilled = call("HGET", S .. ":spilled", ARGV[8])
  if spilled and sub(spilled, 2, 1 + byte(spilled, 1)) == ARGV[9] then
    call("HDEL", S .. ":spilled", ARGV[8])
    call("RPUSH", format("%s:u:%d", S, tonumber(ARGV[8])), unpack(ARGV, 10))
    r.spilled = r.spilled - 1
  end
  return answer({})
end)
