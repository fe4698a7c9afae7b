-- Which leases are current, and what cash their URLs have. Changes nothing.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8...]  TOKEN:ID:OWNER, as in :leases, fingerprint of its URL ("": as its row says); and so on
-- Result: for each the level of its cash, -1 when it is not current
shard_verb("fence", function()
  local members, words, told = {}, {}, {}
  for i = 8, #ARGV, 2 do
    members[#members + 1] = ARGV[i]
    if seed ~= "" and #ARGV[i + 1] == 8 then
      words[#words + 1] = unpack_from("<I4", ARGV[i + 1])
    end
  end
  local times = call("ZMSCORE", S .. ":leases", unpack(members))
  look_up_seen(words)
  for i = 1, #members do
    local says = -1
    if times[i] and tonumber(times[i]) > now then
      says = 0
      local fingerprint = ARGV[7 + 2 * i]
      if seed ~= "" and #fingerprint == 8 then
        says = math.abs(find_seen(fingerprint, (unpack_from("<I4", fingerprint)))) % 256
      elseif seed ~= "" then
        says = level_of(read(id_in(members[i])))
      end
    end
    told[i] = says
  end
  return told
end)
