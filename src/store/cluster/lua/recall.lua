-- Segments are there that nobody knows to have been written: their ordinals are taken, and open.
-- KEYS[1]  as in `take`   ARGV  ordinals
-- Result: nothing
verb("recall", function()
  local last = tonumber(call("HGET", KEYS[1], "last"))
  for _, ordinal in ipairs(ARGV) do
    if tonumber(ordinal) > last then
      call("HSET", KEYS[1], "open:" .. ordinal, "")
    end
  end
  for _, ordinal in ipairs(ARGV) do
    last = math.max(last, tonumber(ordinal))
  end
  call("HSET", KEYS[1], "last", format("%d", last))
end)
