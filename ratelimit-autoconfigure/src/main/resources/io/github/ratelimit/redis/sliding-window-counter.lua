-- Sliding window counter: the current window's count, and the share of the one before that the sliding
-- window still covers.

--: load
local kind_n, made_n, index_n, count_n, previous_n, window_n
if stored and #stored >= END_n then
  kind_n, made_n, index_n, count_n, previous_n, window_n = struct.unpack('>Bddddd', stored, BEGIN_n)
end
if kind_n ~= KIND_n then
  stored = false
end
local into_n = now % WINDOW_n
local current_n = (now - into_n) / WINDOW_n
if not stored or window_n ~= WINDOW_n then
  made_n, index_n, count_n, previous_n = now, current_n, 0, 0
elseif current_n > index_n then
  index_n, count_n, previous_n = current_n, 0, current_n == index_n + 1 and count_n or 0
elseif current_n < index_n then
  into_n = 0
end

--: admits
local share_n = previous_n * (WINDOW_n - into_n)
if share_n < 9007199254740992 then
  share_n = (share_n - share_n % WINDOW_n) / WINDOW_n
else
  -- No product above 2^53 is exact. It is divided as on paper, by digits of ten bits: factors and a divisor
  -- up to 2^42 keep every step below 2^53.
  share_n = 0
  local rest = 0
  for shift = 40, 0, -10 do
    local digit = math.floor(previous_n / 2 ^ shift) % 1024
    local part = rest * 1024 + digit * (WINDOW_n - into_n)
    local whole = math.floor(part / WINDOW_n)
    share_n = share_n * 1024 + whole
    rest = part - whole * WINDOW_n
  end
end
local agrees_n = permits == 0 or permits <= CAPACITY_n - share_n - count_n

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
if taken_n >= made_n then
  local index = math.floor(taken_n / WINDOW_n)
  if index == index_n then
    count_n = count_n - math.min(permits, count_n)
  elseif index == index_n - 1 then
    previous_n = previous_n - math.min(permits, previous_n)
  end
end
