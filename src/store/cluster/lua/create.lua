-- Gives a shard of a new crawl its record, if it has none yet.
-- Result: nothing; then how the shard stands
shard_verb("create", function()
  return answer({})
end, true)
