-- Sliding window counter: the current window's count, and the share of the one before that the sliding
-- window still covers. Where requests wait, or did under limits of before, the current window is that in which the last of
-- them goes, and begins within an hour; or within two windows more, if the server's clock was set back since.

--: numbers
window_n, capacity_n

--: variables
made_n, index_n, count_n, previous_n, into_n, agrees_n

--: load
into_n = now % window_n
do
  local kind, window
  if stored and #stored >= END_n then
    HEADER_n kind, made_n, index_n, count_n, previous_n, window = parse(FORMAT_n, stored, FROM_n)
    --> moment
  end
  if kind ~= KIND_n then
    --> another
    kind = nil
  elseif not (window > 0 and window <= 9007199254740992 and made_n >= 0 and made_n <= at
      and index_n >= 0 and index_n * window - at <= 3600000000 + 2 * window
      and count_n >= 0 and previous_n >= 0 and count_n + previous_n <= 9007199254740992) then
    kind, stored, unreadable_p = nil, false, true
  elseif window ~= window_n or count_n > MAX_TAKEN_n or previous_n > MAX_TAKEN_n then
    --> other_numbers
  end
  local current = (at - at % window_n) / window_n
  if not kind then
    made_n, index_n, count_n, previous_n = at, current, 0, 0
  elseif current > index_n then
    index_n, count_n, previous_n = current, 0, current == index_n + 1 and count_n or 0
  elseif current < index_n then
    into_n = 0
  end
  if at > now then
    local present = (now - now % window_n) / window_n
    made_n, index_n = now, index_n - current + present
    --> set_back
  end
end

-- The server's clock was set back: the current window is as many windows ahead of the moment as before.
--: set_back

--: other_numbers
if decides then
  local former = (at - at % window) / window
  if former > index_n then
    index_n, count_n, previous_n = former, 0, former == index_n + 1 and count_n or 0
  end
  local held, more
  do
    local window_n, into_n = window, math.max(0, at - index_n * window)
    --> share
    held, more = share + count_n, rest > 0 and 1 or 0
  end
  if window ~= window_n then
    -- the estimate of what is taken, rounded up, is taken of this window
    local counting = math.max(at, index_n * window)
    made_n, index_n, carried_p = at, (counting - counting % window_n) / window_n, carried_p or held + more > 0
    count_n, previous_n = math.min(MAX_TAKEN_n, held + more), 0
  elseif count_n > MAX_TAKEN_n or previous_n > MAX_TAKEN_n then
    --> lowered
  end
else
  window_n, into_n = window, now % window
end

-- where a count is higher than the limit can count, this window's stands for it, so that the estimate is the same
--: lowered
local into_n = math.max(0, at - index_n * window_n)
previous_n = math.min(MAX_TAKEN_n, previous_n)
--> share
count_n = math.max(math.min(MAX_TAKEN_n, held) - share, math.min(MAX_TAKEN_n, count_n))
made_n, carried_p = at, true

--: admits
do
  --> share
  agrees_n = permits_p == 0 or permits_p <= capacity_n - share - count_n
end

--: passes
do
  --> share
  passed = math.min(passed, (capacity_n - share - count_n) / permits_p)
end

--: share
local share, rest = previous_n * (window_n - into_n), 0
if share < 9007199254740992 then
  rest = share % window_n
  share = (share - rest) / window_n
else
  -- No product above 2^53 is exact. It is divided as on paper, by digits of ten bits: factors and a divisor
  -- up to 2^42 keep every step below 2^53.
  share = 0
  for shift = 40, 0, -10 do
    local digit = math.floor(previous_n / 2 ^ shift) % 1024
    local part = rest * 1024 + digit * (window_n - into_n)
    local whole = math.floor(part / window_n)
    share = share * 1024 + whole
    rest = part - whole * window_n
  end
end

--: can_pass
carried_p = carried_p and permits_p <= capacity_n

--: take
count_n = count_n + permits_p

--: charge
do
  --> share
  count_n = math.max(count_n, math.min(count_n + permits_p, MAX_TAKEN_n - share))
end

--: refuse
refused = refused or not agrees_n

--: lasts
-- until less than one permit is left: of this window's in the next, or of the one before's in this one
do
  local lasts = 0
  if count_n > 0 then
    lasts = (index_n + 2) * window_n - math.ceil(window_n / count_n) + 1 - now
  elseif previous_n > 0 then
    lasts = (index_n + 1) * window_n - math.ceil(window_n / previous_n) + 1 - now
  end
  if lasts > longest then
    longest = lasts
  end
end

--: state
KIND_n, made_n, index_n, count_n, previous_n, window_n

--: answer
index_n, count_n, previous_n

--: refund_permits
do
  local taken, waited = parse('<dd', ARGV[NUMBER_p], TAKEN_n)
  local index = math.floor((taken + waited) / window_n)
  if taken >= made_n and taken <= now and index == index_n then
    count_n = count_n - math.min(permits_p, count_n)
  elseif taken >= made_n and taken <= now and index == index_n - 1 then
    previous_n = previous_n - math.min(permits_p, previous_n)
  end
end
