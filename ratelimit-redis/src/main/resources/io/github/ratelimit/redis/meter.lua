-- Token bucket and leaky bucket: a level that every permit raises by its cost, and that drains at the
-- limit's pace, up to a full one. The word is the moment, in units since the base, at which the level will have
-- drained.

--: numbers
scale_n, cost_n, full_n

--: variables
base_n, word_n, units_n, level_n, agrees_n

--: load
base_n, word_n = at, 0
do
  local kind, base, word, scale, cost
  if stored and #stored >= END_n then
    HEADER_n kind, base, word, scale, cost = parse(FORMAT_n, stored, FROM_n)
    --> moment
  end
  if kind ~= KIND_n then
    --> another
  elseif not (base >= 0 and base <= at and word >= 0 and word <= 9007199254740992) then
    stored, unreadable_p = false, true
  elseif scale == scale_n and cost == cost_n then
    base_n, word_n = base, word
  elseif not (scale > 0 and scale <= 9007199254740992 and cost > 0 and cost <= 9007199254740992) then
    stored, unreadable_p = false, true
  elseif decides then
    -- what was taken under numbers that were since changed stays taken
    local left = math.max(0, word - (at - base) * scale)
    local permits = math.floor(left / cost)
    word_n = math.min(MAX_TAKEN_n, permits * cost_n + math.ceil((left - permits * cost) * cost_n / cost))
    carried_p = carried_p or left > 0
  else
    base_n, word_n, full_n = base, word, full_n / cost_n * cost
    scale_n, cost_n = scale, cost
  end
end
-- beyond 2^53 they are not exact, and more than any word
units_n = (at - base_n) * scale_n
level_n = word_n > units_n and word_n - units_n or 0
-- of a higher capacity, or a debt where there are none any more: nothing older is refunded
if decides and level_n > MAX_TAKEN_n then
  base_n, word_n, units_n, level_n, carried_p = at, MAX_TAKEN_n, 0, MAX_TAKEN_n, true
end
if at > now then
  base_n, word_n, units_n = now, level_n, 0
end

--: admits
agrees_n = permits_p == 0 or level_n + permits_p * cost_n <= full_n

--: passes
passed = math.min(passed, (full_n - level_n) / (permits_p * cost_n))

--: can_pass
carried_p = carried_p and permits_p * cost_n <= full_n

--: take
if units_n > 4503599627370496 then
  base_n, units_n = now, 0
end
level_n = level_n + permits_p * cost_n
word_n = units_n + level_n

--: charge
level_n = math.max(level_n, math.min(MAX_TAKEN_n, level_n + math.min(permits_p * cost_n, MAX_TAKEN_n)))
if units_n > 4503599627370496 then
  base_n, units_n = now, 0
end
word_n = units_n + level_n

--: refuse
refused = refused or not agrees_n

--: lasts
if level_n > longest * scale_n then
  longest = level_n / scale_n
end

--: state
KIND_n, base_n, word_n, scale_n, cost_n

--: answer
base_n, word_n

--: refund_permits
do
  local taken, reset = parse('<dd', ARGV[NUMBER_p], TAKEN_n)
  local drained = math.ceil(word_n / scale_n)
  --> returns
  if returns then
    -- when the permits themselves will have drained: exact if no other request came since, otherwise at most a tick early
    local ticks = taken - base_n + reset
    local own = word_n
    if ticks ~= drained then
      local alone = (taken - base_n) * scale_n + permits_p * cost_n
      own = math.max(alone, (ticks - 1) * scale_n)
    end
    local left = math.min(word_n, own) - units_n
    word_n = word_n - math.max(0, math.min(left, permits_p * cost_n))
    level_n = math.max(0, word_n - units_n)
  end
end

--: returns
local returns = taken >= base_n and taken <= now
