-- Decides, and answers the moment, whether the request passes, and for each limit whether it agrees, what
-- remains, the wait, and the times until it is as good as new and until there is more.
local allowed, possible = true, true
local agrees = {}
for i, limit in ipairs(limits) do
  possible = possible and permits <= limit.capacity
  agrees[i] = permits == 0 or limit.algorithm.admits(limit, states[i], now, permits)
  allowed = allowed and agrees[i]
end

local changed = allowed and permits > 0
for i, limit in ipairs(limits) do
  if allowed and permits > 0 then
    limit.algorithm.take(limit, states[i], now, permits)
  elseif possible and limit.notes_refusals and not agrees[i] then
    limit.algorithm.refuse(limit, states[i], now, permits)
    changed = true
  end
end

local answer = { now, allowed and 1 or 0 }
local longest = 0
for i, limit in ipairs(limits) do
  local looks = agrees[i] and not allowed
  local remaining, wait, reset, next_permit =
    limit.algorithm.decision(limit, states[i], now, looks and 0 or permits, agrees[i])
  longest = math.max(longest, reset)
  local at = i * 5 - 3
  answer[at + 1], answer[at + 2], answer[at + 3] = agrees[i] and 1 or 0, remaining, wait
  answer[at + 4], answer[at + 5] = reset, next_permit
end

if changed then
  save(longest)
end
return answer
