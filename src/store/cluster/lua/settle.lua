-- Settles leases; of one that is not current nothing is taken.
-- ARGV[4...]  id, token, verdict ("end", "drop", "retry", "again", "follow"), host ready at ("inf": set aside), its tier ("":
--             as it is), reason of the end, time of the retry or hops, where it is followed to ("" else), line of the record
--             ("": none); and so on
-- Result: for each 1 or 0; then how the shard stands. The same again, where an answer was lost on its way, gives the same
-- answer: what was taken is known by its line.
refresh()
local function moved(row, hops, href)
  local before, after = string.match(row, "^(%d+\t%d+\t[^\t]*\t%d+\t%d+\t)%d+(\t[^\t]*\t[^\t]*\t)")
  return before .. hops .. after .. href
end
local told = {}
for i = 4, #ARGV, 8 do
  local id, token, verdict, ready, tier = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  local argument, href, line = ARGV[i + 5], ARGV[i + 6], ARGV[i + 7]
  local one, row = close(token, ready, tier)
  local lines = line ~= "" and call("HGET", shard .. ":visits", id)
  if one == nil then
    told[#told + 1] = lines and string.find("\n" .. lines, "\n" .. split(line) .. "\t", 1, true) and 1 or 0
  else
    if line ~= "" then
      call("HSET", shard .. ":visits", id, lines and lines .. "\n" .. line or line)
    end
    if verdict == "again" then
      give_back(one, row, false)
    elseif verdict == "follow" then
      give_back(one, moved(row, argument, href), false)
    elseif verdict == "retry" then
      call("HSET", shard .. ":retries", id, older(id) .. "\t" .. argument)
      put_off(one, row, argument)
    else
      call("HSET", shard .. ":ended", id, argument .. "\t" .. one.name .. "\t" .. row)
      call("HDEL", shard .. ":tries", id)
      call("HDEL", shard .. ":retries", id)
      count("end:" .. argument, 1)
      if verdict == "drop" then
        local bucket, fingerprint = string.match(row, "^%d+\t%d+\t(%d+)/(%-?%d+)\t")
        call("HSET", shard .. ":seen:" .. bucket, fingerprint, "-" .. id)
      end
    end
    keep_clock(one)
    told[#told + 1] = 1
  end
end
return { told, standing() }
