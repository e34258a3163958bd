-- Fixed window counter: counts the permits of the window that the moment lies in. Windows are aligned to
-- the epoch.

--: load
local made_n, index_n, count_n
do
  local kind, window
  if stored and #stored >= END_n then
    kind, made_n, index_n, count_n, window = struct.unpack('>Bdddd', stored, BEGIN_n)
  end
  if kind ~= KIND_n then
    stored = false
  elseif not (window > 0 and (window ~= WINDOW_n or made_n >= 0 and made_n <= 9007199254740992
      and index_n >= 0 and index_n * WINDOW_n <= 9007199254740992
      and count_n >= 0 and count_n <= 9007199254740992)) then
    stored, strange = false, true
  end
  local current = (now - now % WINDOW_n) / WINDOW_n
  if not stored or window ~= WINDOW_n then
    made_n, index_n, count_n = now, current, 0
  elseif current > index_n then
    index_n, count_n = current, 0
  end
end

--: admits
local agrees_n = permits == 0 or permits <= CAPACITY_n - count_n

--: take
count_n = count_n + permits

--: lasts
if count_n > 0 and (index_n + 1) * WINDOW_n - now > longest then
  longest = (index_n + 1) * WINDOW_n - now
end

--: state
KIND_n, made_n, index_n, count_n, WINDOW_n

--: answer
index_n, count_n

--: give_back
do
  local taken = tonumber(ARGV[2 * NUMBER_n])
  if taken >= made_n and math.floor(taken / WINDOW_n) == index_n then
    count_n = count_n - math.min(permits, count_n)
  end
end
