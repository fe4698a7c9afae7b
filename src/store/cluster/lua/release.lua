-- Gives leases back unvisited, each to the head of its host; the last one given back is in front.
-- ARGV[4...]  token, host ready at ("inf": set aside), its tier ("": as it is)
-- Result: nothing; then how the shard stands
refresh()
for i = 4, #ARGV, 3 do
  local one, row = close(ARGV[i], ARGV[i + 1], ARGV[i + 2])
  if one ~= nil then
    give_back(one, row, false)
  end
end
return { {}, standing() }
