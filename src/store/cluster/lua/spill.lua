-- Chunks of rows go: they stand in the object store now.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8...]  number of the chunk, SHA-1 of its rows put together, where they are; and so on
-- Result: for each 1, or 0: it is not what it was, and stays; then how the shard stands. Where they are says when that was begun to be
-- written (SHARD/TIME-..., base 36): what is older than 10 minutes is not pointed to any more, since it may be taken away as nobody's
shard_verb("spill", function()
  refresh()
  local seconds = tonumber(call("TIME")[1])
  local told = {}
  for i = 8, #ARGV, 3 do
    local k = tonumber(ARGV[i])
    local key = format("%s:u:%d", S, k)
    local rows = call("LRANGE", key, 0, -1)
    local begun = tonumber(string.match(ARGV[i + 2], "/(%w+)-") or "0", 36) / 1000
    local goes = (k + 1) * ROWS <= r.last and seconds - begun < 600 and redis.sha1hex(table.concat(rows)) == ARGV[i + 1]
    local waiting = {}
    local pending = false
    for nth, row in ipairs(rows) do
      local letter = row == "" and 120 or byte(row, 1)
      goes = goes and letter ~= 111
      if letter == 113 then
        local _, _, previous = fields(row)
        pending, letter = true, previous == "" and 113 or 114
      end
      waiting[nth] = char(letter) .. (row == "" and "----" or sub(row, 12, 15))
    end
    if goes then
      call("DEL", key)
      call("HSET", S .. ":spilled", k, char(#ARGV[i + 2]) .. ARGV[i + 2] .. (pending and table.concat(waiting) or ""))
      r.spilled = r.spilled + 1
    end
    told[#told + 1] = goes and 1 or 0
  end
  return answer(told)
end)
