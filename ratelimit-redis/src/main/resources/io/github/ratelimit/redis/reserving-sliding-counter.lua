-- A sliding window counter whose requests may wait until the estimate has room for them. A request is counted in the window
-- in which it goes, and the current one is that in which the last one goes: nobody goes before that. The estimate only
-- falls while nobody comes, so that a request would go in time if the estimate of the last moment has room for it. For a
-- request that cannot wait, admitted_n is 0; for all others it is the longest wait.

--: numbers
window_n, capacity_n, longest_n, admitted_n

--: admits
agrees_n = permits_p == 0
if permits_p > 0 then
  local latest = now + admitted_n
  --> fits
  agrees_n = fits
end

-- Whether the estimate has room for the permits until a moment.
--: fits
local fits = permits_p <= capacity_n and latest >= index_n * window_n
if fits then
  local into_n = latest % window_n
  local later = (latest - into_n) / window_n - index_n
  local count, previous_n = count_n, previous_n
  if later > 0 then
    count, previous_n = 0, later == 1 and count or 0
  end
  --> share
  fits = permits_p <= capacity_n - share - count
end

-- In the first window at whose last moment there is room.
--: take
while count_n + math.floor(previous_n / window_n) + permits_p > capacity_n do
  index_n, count_n, previous_n = index_n + 1, 0, count_n
end
count_n = count_n + permits_p

-- The server's clock was set back to a later part of a window, so that those who wait would go sooner than they do: one
-- window more. Those who wait have not all gone if the estimate of the moment that the state knows of is above the limit.
--: set_back
if now % window_n > at % window_n and (index_n - present) * window_n <= 3600000000 + window_n then
  -- a function has variables of its own, of which the script of many policies has no more left
  local function have_passed(latest, index_n, permits_p)
    --> fits
    return fits
  end
  if not have_passed(at, index_n - present + current, 0) then
    index_n, into_n = index_n + 1, 0
  end
end

-- A request that would only have to wait is none that does not stop.
--: refuse
if not agrees_n and not refused then
  local latest = now + longest_n
  --> fits
  refused = not fits
end

-- until less than one permit is left, and not before the current window begins
--: lasts
do
  local lasts = index_n * window_n - now
  if count_n > 0 then
    lasts = (index_n + 2) * window_n - math.ceil(window_n / count_n) + 1 - now
  elseif previous_n > 0 then
    lasts = math.max(lasts, (index_n + 1) * window_n - math.ceil(window_n / previous_n) + 1 - now)
  end
  if lasts > longest then
    longest = lasts
  end
end

-- While requests wait, only the permits of the last one go back: with those of another one, whoever comes next would
-- overtake the last. The last one goes when the estimate is no longer above the limit.
--: refund_permits
do
  local taken, waited = parse('<dd', ARGV[NUMBER_p], TAKEN_n)
  local passes = taken + waited
  local returns = taken >= made_n and taken <= now
  if returns then
    local permits_p = 0
    local function has_passed(latest)
      --> fits
      return fits
    end
    returns = has_passed(now) or (has_passed(passes) and not has_passed(passes - 1))
  end
  local index = math.floor(passes / window_n)
  if returns and index == index_n then
    count_n = count_n - math.min(permits_p, count_n)
  elseif returns and index == index_n - 1 then
    previous_n = previous_n - math.min(permits_p, previous_n)
  end
end
