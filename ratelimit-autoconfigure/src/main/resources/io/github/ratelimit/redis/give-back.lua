-- Gives back what a request was given. ARGV has, after the limits, for each of them the moment of the
-- decision, and the time that it named until the limit would be as good as new.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return {}
end
local longest = 0
for i, limit in ipairs(limits) do
  local at = 3 + count * 5 + (i - 1) * 2
  limit.algorithm.give_back(limit, states[i], now, permits, tonumber(ARGV[at]), tonumber(ARGV[at + 1]))
  local _, _, reset = limit.algorithm.decision(limit, states[i], now, 0, true)
  longest = math.max(longest, reset)
end
if longest > 0 then
  save(longest)
else
  forget()
end
return {}
