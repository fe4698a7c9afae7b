-- Admits URLs, each in one step: seen and queued, or seen and recorded as dropped. What is known by now is passed over.
-- ARGV[4...]  bucket, fingerprint, id, reason of the drop ("": it is queued), host, tier of the host if it is new, row,
--             line of the record ("" without a drop); and so on
-- Result: for each 0 (known), 1 (queued) or 2 (dropped); then how the shard stands
refresh()
local told = {}
for i = 4, #ARGV, 8 do
  local bucket, fingerprint, id, reason = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local name, tier, row, line = ARGV[i + 4], ARGV[i + 5], ARGV[i + 6], ARGV[i + 7]
  local seen = shard .. ":seen:" .. bucket
  local known = call("HGET", seen, fingerprint)
  local dropped = known and string.sub(known, 1, 1) == "-"
  if known and not (dropped and reason == "") then
    told[#told + 1] = 0
  else
    if dropped then
      local old = string.sub(known, 2)
      count("end:" .. split(call("HGET", shard .. ":ended", old)), -1)
      call("HDEL", shard .. ":ended", old)
      call("HDEL", shard .. ":visits", old)
    end
    call("HSET", seen, fingerprint, reason == "" and id or "-" .. id)
    local one = meet(name, digits(tonumber(id)), tier)
    if reason == "" then
      push(one, row, class_of(row), false)
      told[#told + 1] = 1
    else
      call("HSET", shard .. ":ended", id, reason .. "\t" .. name .. "\t" .. row)
      call("HSET", shard .. ":visits", id, line)
      count("end:" .. reason, 1)
      told[#told + 1] = 2
    end
  end
end
return { told, standing() }
