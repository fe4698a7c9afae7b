-- Result: nothing; then how the shard stands
refresh()
return answer({})
