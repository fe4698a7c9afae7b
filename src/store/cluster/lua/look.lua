-- Brings the shard up to now.
-- Result: nothing; then how the shard stands
shard_verb("look", function()
  refresh()
  return answer({})
end)
