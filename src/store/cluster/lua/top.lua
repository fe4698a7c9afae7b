-- The hosts with most requests, of equals the one known longest. Changes nothing but what time brings.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8] how many
-- Result: for each name, requests, URLs pending
shard_verb("top", function()
  if refresh() then
    keep()
  end
  local states, all = {}, {}
  local flat = call("HGETALL", S .. ":state")
  for i = 1, #flat, 2 do
    states[flat[i]] = cjson.decode(flat[i + 1]).requests
  end
  for _, order in ipairs(call("HKEYS", S .. ":hosts")) do
    local one = host(order)
    all[#all + 1] = { one.name, states[one.name] or 0, one.waiting + one.leased + one.delayed, order }
  end
  table.sort(all, function(a, b)
    if a[2] ~= b[2] then
      return a[2] > b[2]
    end
    return a[4] < b[4]
  end)
  local told = {}
  for i = 1, math.min(#all, tonumber(ARGV[8])) do
    told[i] = { all[i][1], all[i][2], all[i][3] }
  end
  return told
end, true)
