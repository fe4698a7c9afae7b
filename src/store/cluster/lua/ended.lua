-- What verbs on URLs that have ended share. Their words from ARGV[8] on are an id and something to it, and so on.

-- Its row; "": there is no such URL. Nil: the row must be brought back first.
local function row_of(id)
  if id < 1 or id > r.last then
    return ""
  end
  return read(id)
end

local function rows_away()
  local away = {}
  for i = 8, #ARGV, 2 do
    local id = tonumber(ARGV[i])
    if not row_of(id) then
      away[#away + 1] = id
    end
  end
  return away
end
