-- What registrable domains have had, all their hosts together.
-- KEYS[1]  a part of the domains of a crawl: trawl:{CRAWL:domains:PART}. Every other key is this one and a suffix:
--            (itself)  hash  crawler -> number of its call that was counted last
--            :B        hash  domain -> pages asked for
-- ARGV[1]  crawler   ARGV[2]  number of the call, "": nothing is added, but each has had so many at least
-- ARGV[3...]  B, domain, pages; and so on
-- Result: what each has had. A call that was counted is not counted again; of each crawler there is one at a time
verb("count", function()
  local told = {}
  local again = ARGV[2] ~= "" and call("HGET", KEYS[1], ARGV[1]) == ARGV[2]
  for i = 3, #ARGV, 3 do
    local key, domain, pages = KEYS[1] .. ":" .. ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
    local had = tonumber(call("HGET", key, domain) or 0)
    local sum = ARGV[2] == "" and math.max(had, pages) or again and had or had + pages
    if sum ~= had then
      call("HSET", key, domain, format("%d", sum))
    end
    told[#told + 1] = sum
  end
  if ARGV[2] ~= "" then
    call("HSET", KEYS[1], ARGV[1], ARGV[2])
  end
  return told
end)
