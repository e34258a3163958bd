-- A fixed window counter whose requests may wait for a later window: one gets all its permits of the first window that
-- has them, not before that of the request in front of it. The count goes on where the limit ends: what is counted
-- beyond it is reserved in the windows that follow, and is theirs once they begin. For a request that cannot wait,
-- admitted_n is 0; for all others it is the longest wait.

--: numbers
window_n, capacity_n, longest_n, admitted_n

--: variables
made_n, index_n, count_n, agrees_n, taken_n, wait_n

-- What windows have given and reserved under this limit. The state may have counted more: what an earlier, higher limit has
-- given in its window is no reservation, of which the rest cannot be told apart.
--: reserved
local reserved = math.min(count_n, capacity_n * (math.floor(longest_n / window_n) + 2))

-- A refund may come under other limits than those that have counted, and leaves to them what has become of later windows.
--: next_window
if decides then
  --> reserved
  count_n = math.max(0, reserved - (current - index_n) * capacity_n)
  index_n = current
end

--: admits
agrees_n = true
if permits_p > 0 then
  --> reserved
  local rest = reserved % capacity_n
  taken_n = reserved + permits_p
  if rest + permits_p > capacity_n then
    taken_n = taken_n - rest + capacity_n
  end
  local later = math.floor((taken_n - 1) / capacity_n)
  wait_n = later > 0 and (index_n + later) * window_n - now or 0
  agrees_n = permits_p <= capacity_n and wait_n <= admitted_n
end

--: take
count_n = taken_n

--: charge
do
  local current = (now - now % window_n) / window_n
  if current > index_n then
    --> reserved
    count_n = math.max(0, reserved - (current - index_n) * capacity_n)
    index_n = current
  end
  count_n = math.max(count_n, math.min(count_n + permits_p, MAX_TAKEN_n))
end

-- A request that would only have to wait is none that does not stop.
--: refuse
refused = refused or (not agrees_n and (permits_p > capacity_n or wait_n > longest_n))

--: lasts
do
  --> reserved
  local later = math.floor(math.max(0, reserved - 1) / capacity_n)
  if count_n > 0 and (index_n + later + 1) * window_n - now > longest then
    longest = (index_n + later + 1) * window_n - now
  end
end

-- Only permits of the last window that has given some go back: those of others have others behind them. If there are none,
-- nothing is saved, because these limits may not be those that know until when it is to be kept.
--: refund_permits
do
  local taken, reset = parse('<dd', ARGV[NUMBER_p], TAKEN_n)
  --> reserved
  local later = math.floor(math.max(0, reserved - 1) / capacity_n)
  if taken >= made_n and taken <= now and taken + reset == (index_n + later + 1) * window_n then
    count_n = count_n - math.min(permits_p, reserved - later * capacity_n)
  else
    return ''
  end
end
