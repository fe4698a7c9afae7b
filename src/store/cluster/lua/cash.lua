-- Cash in levels (src/dedup/cash-levels): level 0 is none, level k is 2^((k - 41) / 2); between two of them chance decides.
local function amount(level)
  return level == 0 and 0 or 2 ^ ((level - 41) / 2)
end

local function after(level, more)
  local sum = amount(level) + more
  local to = math.max(level, math.min(255, math.floor(41 + 2 * math.log(sum) / math.log(2))))
  while to > level and amount(to) > sum do
    to = to - 1
  end
  while to < 255 and amount(to + 1) <= sum do
    to = to + 1
  end
  local over = sum - amount(to)
  if to < 255 and over > 0 and math.random() * (amount(to + 1) - amount(to)) < over then
    return to + 1
  end
  return to
end
