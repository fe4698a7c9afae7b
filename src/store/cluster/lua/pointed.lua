-- The objects that hold spilled rows. Changes nothing.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- Result: their names; or nothing at all where the shard has no URL: then it knows nothing of what it may have had
shard_verb("pointed", function()
  if r.last == 0 then
    return false
  end
  local names, told = {}, {}
  for _, spilled in ipairs(call("HVALS", S .. ":spilled")) do
    local name = string.match(sub(spilled, 2, 1 + byte(spilled, 1)), "^[^:]+")
    if not names[name] then
      names[name] = true
      told[#told + 1] = name
    end
  end
  return told
end)
