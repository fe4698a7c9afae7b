-- What is due again. Changes nothing.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8] until, ms ("+inf": ever)   ARGV[9] how many
-- Result: id, time; and so on, the earliest first
shard_verb("due", function()
  local told = call("ZRANGEBYSCORE", S .. ":again", "-inf", ARGV[8], "WITHSCORES", "LIMIT", 0, ARGV[9])
  for i = 1, #told, 2 do
    told[i] = unpack_from(">I4", told[i])
  end
  return told
end)
