-- Queues URLs again that have ended and were not dropped; all others are passed over.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8...]  id, class; and so on
-- Result: 1 and for each 1 (queued) or 0; or 0 and ids: nothing is done, their rows must be brought back first; then how the shard stands
shard_verb("revisit", function()
  refresh()
  local told, away = {}, rows_away()
  if #away > 0 then
    return answer({ 0, away })
  end
  for i = 8, #ARGV, 2 do
    local id, class = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
    local row = row_of(id)
    local says = 0
    if byte(row, 1) == 101 then
      local one = host(sub(row, 12, 15))
      local reason, visit = fields(row)
      ends[reason] = (ends[reason] or 0) - 1
      r.returns = r.returns + 1
      if call("ZREM", S .. ":again", pack(">I4", id)) == 1 then
        r.due = earliest(":again")
      end
      row = "q" .. char(48 + class) .. sub(row, 3)
      write(id, remade(row, "q", joined("", visit, visit, "", "", "", format("%d/%d", r.last, r.returns))))
      count_in(one, class, 1)
      call("RPUSH", S .. ":q:" .. char(48 + class) .. ":" .. one.order, format("%d", id))
      says = 1
    end
    told[#told + 1] = says
  end
  return answer({ 1, told })
end)
