-- Gives a shard of a new crawl its record, if it has none yet.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- Result: nothing; then how the shard stands
shard_verb("create", function()
  return answer({})
end, true)
