-- Gives leases back unvisited, each to the head of its host; the last one given back is in front.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8...]  TOKEN:ID:OWNER as in :leases, host ready at ("inf": set aside), its tier ("": as it is); and so on
-- Result: nothing; then how the shard stands
shard_verb("release", function()
  refresh()
  for i = 8, #ARGV, 3 do
    if call("ZREM", S .. ":leases", ARGV[i]) == 1 then
      local id = id_in(ARGV[i])
      local one = host(sub(read(id), 12, 15))
      close(one, ARGV[i + 1], ARGV[i + 2])
      give_back(one, id, false)
    end
  end
  return answer({})
end)
