-- Sliding window counter: the current window's count, and the share of the one before that the sliding
-- window still covers.
local sliding_window = { format = '>ddddd' }
algorithms.C = sliding_window

function sliding_window.prepare(limit)
  limit.window = limit.a
end

function sliding_window.create(limit, now)
  return { made = now, index = math.floor(now / limit.window), count = 0, previous = 0 }
end

function sliding_window.load(limit, now, made, index, count, previous, window)
  local state = { made = made, index = index, count = count, previous = previous }
  return window == limit.window and state or sliding_window.create(limit, now)
end

function sliding_window.save(limit, state)
  return state.made, state.index, state.count, state.previous, limit.window
end

-- The state's counts, moved to the window of a moment, and how far the moment lies into it.
local function at_moment(limit, state, now)
  local index = math.max(state.index, math.floor(now / limit.window))
  local into = math.max(0, now - index * limit.window)
  if index == state.index then
    return index, state.count, state.previous, into
  end
  return index, 0, index == state.index + 1 and state.count or 0, into
end

local function estimate(limit, count, previous, into)
  return divide_product(previous, limit.window - into, limit.window) + count
end

-- How far into a window there is room beside what the window before holds.
local function into_with_room(limit, room, previous)
  if previous <= room then
    return 0
  end
  local quotient, remainder = divide_product(room + 1, limit.window, previous)
  return limit.window - (remainder == 0 and quotient - 1 or quotient)
end

-- The time until so many permits fit: in this window if its own count has room, otherwise in the next, to
-- which this one is the one before.
local function wait_for(limit, permits, count, previous, into)
  local room = limit.capacity - permits
  if count <= room then
    return into_with_room(limit, room - count, previous) - into
  end
  return limit.window - into + into_with_room(limit, room, count)
end

function sliding_window.admits(limit, state, now, permits)
  local _, count, previous, into = at_moment(limit, state, now)
  return permits <= limit.capacity - estimate(limit, count, previous, into)
end

function sliding_window.take(limit, state, now, permits)
  local index, count, previous = at_moment(limit, state, now)
  state.index, state.count, state.previous = index, count + permits, previous
end

function sliding_window.decision(limit, state, now, permits, allowed)
  local index, count, previous, into = at_moment(limit, state, now)
  local remaining = math.max(0, limit.capacity - estimate(limit, count, previous, into))
  local ahead = index * limit.window + into - now
  local reset, next_permit, wait = 0, 0, 0
  if remaining < limit.capacity then
    reset = ahead + wait_for(limit, limit.capacity, count, previous, into)
    next_permit = ahead + wait_for(limit, remaining + 1, count, previous, into)
  end
  if not allowed then
    wait = permits <= limit.capacity and ahead + wait_for(limit, permits, count, previous, into) or NEVER
  end
  return remaining, wait, reset, next_permit
end

function sliding_window.give_back(limit, state, now, permits, taken)
  local index = math.floor(taken / limit.window)
  if taken < state.made then
    return
  elseif index == state.index then
    state.count = state.count - math.min(permits, state.count)
  elseif index == state.index - 1 then
    state.previous = state.previous - math.min(permits, state.previous)
  end
end
