-- Token bucket and leaky bucket: a level that every permit raises by its cost, and that drains at the
-- limit's pace. The word is the moment, in units since the base, at which the level will have drained.

--: load
local base_n, word_n = now, 0
do
  local kind, base, word, scale, cost
  if stored and #stored >= END_n then
    kind, base, word, scale, cost = struct.unpack('>Bdddd', stored, BEGIN_n)
  end
  if kind ~= KIND_n then
    stored = false
  elseif not (base >= 0 and base <= 9007199254740992 and word >= 0 and word <= 9007199254740992
      and scale > 0 and scale <= 9007199254740992 and cost > 0 and cost <= 9007199254740992) then
    stored, strange = false, true
  elseif scale == SCALE_n and cost == COST_n then
    base_n, word_n = base, word
  else
    -- what was taken under numbers that were since changed stays taken
    local left = math.max(0, word - math.max(0, now - base) * scale)
    word_n = math.min(FULL_n, math.ceil(left / cost * COST_n))
  end
end
local units_n = now - base_n
if units_n < 0 then
  units_n = 0
elseif units_n > LAST_n then
  units_n = LAST_n
end
units_n = units_n * SCALE_n
local level_n = word_n > units_n and word_n - units_n or 0

--: admits
local agrees_n = permits == 0 or permits <= CAPACITY_n and level_n + permits * COST_n <= FULL_n

--: take
if now - base_n > HORIZON_n then
  base_n, units_n = now, 0
end
level_n = level_n + permits * COST_n
word_n = units_n + level_n

--: lasts
if level_n > longest * SCALE_n then
  longest = level_n / SCALE_n
end

--: state
KIND_n, base_n, word_n, SCALE_n, COST_n

--: answer
base_n, word_n

--: give_back
do
  local taken, reset = tonumber(ARGV[2 * NUMBER_n]), tonumber(ARGV[2 * NUMBER_n + 1])
  local drained = math.ceil(word_n / SCALE_n)
  -- a place in the queue goes back only from its end: those behind it have been promised theirs
  if taken >= base_n and (QUEUE_n == 0 or base_n + drained == taken + reset) then
    -- when the permits themselves will have drained: exact if nobody came since, otherwise at most a tick early
    local ticks = taken - base_n + reset
    local own = word_n
    if ticks ~= drained then
      local alone = math.min(taken - base_n, LAST_n) * SCALE_n + permits * COST_n
      own = math.max(alone, (ticks - 1) * SCALE_n)
    end
    local left = math.min(word_n, own) - units_n
    word_n = word_n - math.max(0, math.min(left, permits * COST_n))
    level_n = math.max(0, word_n - units_n)
  end
end
