-- Which of these fingerprints the shard knows. Changes nothing.
-- ARGV[4...]  bucket, fingerprint; and so on
-- Result: for each 0 (new), 1 (admitted) or 2 (only recorded as dropped)
local told = {}
for i = 4, #ARGV, 2 do
  local id = call("HGET", shard .. ":seen:" .. ARGV[i], ARGV[i + 1])
  told[#told + 1] = not id and 0 or string.sub(id, 1, 1) == "-" and 2 or 1
end
return told
