-- The wait for what can never pass.
local NEVER = -1

-- Algorithms by the letter of their kind.
local algorithms = {}

local function divide_up(a, divisor)
  return math.ceil(a / divisor)
end
