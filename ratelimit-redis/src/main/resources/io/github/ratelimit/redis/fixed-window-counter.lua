-- Fixed window counter: counts the permits of the window that the moment lies in. Windows are aligned to
-- the epoch.

--: numbers
window_n, capacity_n

--: variables
made_n, index_n, count_n, agrees_n

--: load
do
  local kind, window
  if stored and #stored >= END_n then
    HEADER_n kind, made_n, index_n, count_n, window = parse(FORMAT_n, stored, FROM_n)
    --> moment
  end
  if kind ~= KIND_n then
    --> another
    kind = nil
  elseif not (window > 0 and made_n >= 0 and made_n <= at
      and index_n >= 0 and index_n * window <= at
      and count_n >= 0 and count_n <= 9007199254740992) then
    kind, stored, unreadable_p = nil, false, true
  elseif window ~= window_n then
    --> other_window
  end
  local current = (at - at % window_n) / window_n
  if not kind then
    made_n, index_n, count_n = at, current, 0
  elseif current > index_n then
    --> next_window
  end
  if at > now then
    made_n, index_n = now, (now - now % window_n) / window_n
  end
end

--: next_window
index_n, count_n = current, 0

-- what the window of before still counts is taken of this one
--: other_window
if decides then
  count_n = index_n == (at - at % window) / window and math.min(MAX_TAKEN_n, count_n) or 0
  made_n, index_n, carried_p = at, (at - at % window_n) / window_n, carried_p or count_n > 0
else
  window_n = window
end

--: admits
agrees_n = permits_p == 0 or permits_p <= capacity_n - count_n

--: passes
passed = math.min(passed, (capacity_n - count_n) / permits_p)

--: can_pass
carried_p = carried_p and permits_p <= capacity_n

--: take
count_n = count_n + permits_p

--: charge
count_n = math.max(count_n, math.min(count_n + permits_p, MAX_TAKEN_n))

--: refuse
refused = refused or not agrees_n

--: lasts
if count_n > 0 and (index_n + 1) * window_n - now > longest then
  longest = (index_n + 1) * window_n - now
end

--: state
KIND_n, made_n, index_n, count_n, window_n

--: answer
index_n, count_n

--: refund_permits
do
  local taken = parse('<d', ARGV[NUMBER_p], TAKEN_n)
  if taken >= made_n and taken <= now and math.floor(taken / window_n) == index_n then
    count_n = count_n - math.min(permits_p, count_n)
  end
end
