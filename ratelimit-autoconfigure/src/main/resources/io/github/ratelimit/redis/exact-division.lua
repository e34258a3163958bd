-- a * b / divisor, rounded down, and the remainder. Numbers here are doubles, exact to 2^53. A larger
-- product is divided as on paper, by digits of ten bits: a and b up to 2^42 and a divisor up to 2^42 keep
-- every step below 2^53.
local function divide_product(a, b, divisor)
  local product = a * b
  if product < 9007199254740992 then
    return math.floor(product / divisor), product % divisor
  end
  local quotient, remainder = 0, 0
  for shift = 40, 0, -10 do
    local digit = math.floor(a / 2 ^ shift) % 1024
    local part = remainder * 1024 + digit * b
    local whole = math.floor(part / divisor)
    quotient = quotient * 1024 + whole
    remainder = part - whole * divisor
  end
  return quotient, remainder
end
