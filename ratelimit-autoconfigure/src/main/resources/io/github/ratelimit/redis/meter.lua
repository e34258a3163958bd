-- Token bucket and leaky bucket: a level that every permit raises by its cost, and that drains at the
-- limit's pace. A state's word is the moment, in units since its base, at which the level will have drained.
local function units(limit, state, now)
  return math.max(0, math.min(now - state.base, limit.last)) * limit.scale
end

local function level(limit, state, now)
  return math.max(0, state.word - units(limit, state, now))
end

local meter = { format = '>dddd' }
algorithms.T = meter
algorithms.L = meter

function meter.prepare(limit)
  limit.scale, limit.cost = limit.a, limit.b
  limit.full = limit.capacity * limit.cost
  limit.horizon = math.floor(4503599627370496 / limit.scale)
  limit.last = limit.horizon + divide_up(limit.full, limit.scale)
end

function meter.create(limit, now)
  return { base = now, word = 0 }
end

-- What another limit of this policy has taken, under numbers that were since changed, stays taken.
local function converted(limit, state, scale, cost, now)
  local left = math.max(0, state.word - math.max(0, now - state.base) * scale)
  return { base = now, word = math.min(limit.full, math.ceil(left / cost * limit.cost)) }
end

function meter.load(limit, now, base, word, scale, cost)
  local state = { base = base, word = word }
  return (scale == limit.scale and cost == limit.cost) and state or converted(limit, state, scale, cost, now)
end

function meter.save(limit, state)
  return state.base, state.word, limit.scale, limit.cost
end

function meter.admits(limit, state, now, permits)
  return permits <= limit.capacity and level(limit, state, now) + permits * limit.cost <= limit.full
end

function meter.take(limit, state, now, permits)
  if now - state.base > limit.horizon then
    state.word = level(limit, state, now)
    state.base = now
  end
  state.word = units(limit, state, now) + level(limit, state, now) + permits * limit.cost
end

function meter.decision(limit, state, now, permits, allowed)
  local filled = level(limit, state, now)
  local remaining = math.floor(math.max(0, limit.full - filled) / limit.cost)
  local reset = divide_up(filled, limit.scale)
  local next_permit = filled == 0 and 0
    or divide_up(filled - (limit.full - (remaining + 1) * limit.cost), limit.scale)
  local wait = 0
  if not allowed then
    wait = permits > limit.capacity and NEVER
      or divide_up(filled + permits * limit.cost - limit.full, limit.scale)
  elseif permits > 0 and limit.kind == 'L' then
    wait = divide_up(math.max(0, filled - (limit.c + 1) * limit.cost), limit.scale)
  end
  return remaining, wait, reset, next_permit
end

-- The moment, in units since the base, at which the permits themselves will have drained.
local function drained(limit, state, permits, taken, reset)
  local ticks = taken - state.base + reset
  if ticks == divide_up(state.word, limit.scale) then
    return state.word
  end
  return math.max(units(limit, state, taken) + permits * limit.cost, (ticks - 1) * limit.scale)
end

function meter.give_back(limit, state, now, permits, taken, reset)
  -- a place in the queue goes back only from its end: those behind it have been promised theirs
  local queue = limit.kind == 'L' and limit.c < limit.capacity - 1
  if queue and state.base + divide_up(state.word, limit.scale) ~= taken + reset then
    return
  end
  if taken >= state.base then
    local left = math.min(state.word, drained(limit, state, permits, taken, reset)) - units(limit, state, now)
    state.word = state.word - math.max(0, math.min(left, permits * limit.cost))
  end
end
