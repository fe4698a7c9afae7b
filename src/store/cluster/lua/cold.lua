-- Which chunks of rows may be spilled: those of which nothing is pending, the oldest first; then, if these are not enough, others that
-- nobody is at work on, the newest first: what waits there is at the end of its queue.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8] how many   ARGV[9] how many to look at, at most, each way
-- Result: numbers of chunks; then how the shard stands
shard_verb("cold", function()
  refresh()
  local most, looks = tonumber(ARGV[8]), tonumber(ARGV[9])
  local whole = (r.last - r.last % ROWS) / ROWS
  local told, chosen = {}, {}

  -- e: nothing in it is pending; q: some waits, and nothing is out; nil: it must stay, or is not there.
  local function kind_of(k)
    local rows = call("LRANGE", format("%s:u:%d", S, k), 0, -1)
    local kind = rows[1] and "e"
    for _, row in ipairs(rows) do
      local letter = byte(row, 1)
      if letter == 111 then
        return nil
      elseif letter == 113 then
        kind = "q"
      end
    end
    return kind
  end

  local function take(k)
    if not chosen[k] then
      chosen[k] = true
      told[#told + 1] = k
    end
  end

  for _ = 1, math.min(looks, whole) do
    if #told == most then
      break
    end
    local k = r.hand % whole
    r.hand = k + 1
    if kind_of(k) == "e" then
      take(k)
    end
  end
  for k = whole - 1, math.max(0, whole - looks), -1 do
    if #told == most then
      break
    end
    if kind_of(k) then
      take(k)
    end
  end
  return answer(told)
end)
