-- Brings the shard up to now.
-- Result: nothing; then how the shard stands
refresh()
return answer({})
