-- Sliding window counter: the current window's count, and the share of the one before that the sliding
-- window still covers.

--: load
local made_n, index_n, count_n, previous_n
local into_n = now % WINDOW_n
do
  local kind, window
  if stored and #stored >= END_n then
    kind, made_n, index_n, count_n, previous_n, window = struct.unpack('>Bddddd', stored, BEGIN_n)
  end
  if kind ~= KIND_n then
    stored = false
  elseif not (window > 0 and (window ~= WINDOW_n or made_n >= 0 and made_n <= 9007199254740992
      and index_n >= 0 and index_n * WINDOW_n <= 9007199254740992
      and count_n >= 0 and previous_n >= 0 and count_n + previous_n <= 9007199254740992)) then
    stored, strange = false, true
  end
  local current = (now - into_n) / WINDOW_n
  if not stored or window ~= WINDOW_n then
    made_n, index_n, count_n, previous_n = now, current, 0, 0
  elseif current > index_n then
    index_n, count_n, previous_n = current, 0, current == index_n + 1 and count_n or 0
  elseif current < index_n then
    into_n = 0
  end
end

--: admits
local agrees_n
do
  local share = previous_n * (WINDOW_n - into_n)
  if share < 9007199254740992 then
    share = (share - share % WINDOW_n) / WINDOW_n
  else
    -- No product above 2^53 is exact. It is divided as on paper, by digits of ten bits: factors and a divisor
    -- up to 2^42 keep every step below 2^53.
    share = 0
    local rest = 0
    for shift = 40, 0, -10 do
      local digit = math.floor(previous_n / 2 ^ shift) % 1024
      local part = rest * 1024 + digit * (WINDOW_n - into_n)
      local whole = math.floor(part / WINDOW_n)
      share = share * 1024 + whole
      rest = part - whole * WINDOW_n
    end
  end
  agrees_n = permits == 0 or permits <= CAPACITY_n - share - count_n
end

--: take
count_n = count_n + permits

--: lasts
-- until less than one permit is left: of this window's in the next, or of the one before's in this one
do
  local lasts = 0
  if count_n > 0 then
    lasts = (index_n + 2) * WINDOW_n - math.ceil(WINDOW_n / count_n) + 1 - now
  elseif previous_n > 0 then
    lasts = (index_n + 1) * WINDOW_n - math.ceil(WINDOW_n / previous_n) + 1 - now
  end
  if lasts > longest then
    longest = lasts
  end
end

--: state
KIND_n, made_n, index_n, count_n, previous_n, WINDOW_n

--: answer
index_n, count_n, previous_n

--: give_back
do
  local taken = tonumber(ARGV[2 * NUMBER_n])
  local index = math.floor(taken / WINDOW_n)
  if taken >= made_n and index == index_n then
    count_n = count_n - math.min(permits, count_n)
  elseif taken >= made_n and index == index_n - 1 then
    previous_n = previous_n - math.min(permits, previous_n)
  end
end
