-- Fixed window counter: counts the permits of the window that the moment lies in. Windows are aligned to
-- the epoch.
local fixed_window = { format = '>dddd' }
algorithms.F = fixed_window

function fixed_window.prepare(limit)
  limit.window = limit.a
end

function fixed_window.create(limit, now)
  return { made = now, index = math.floor(now / limit.window), count = 0 }
end

function fixed_window.load(limit, now, made, index, count, window)
  local state = { made = made, index = index, count = count }
  return window == limit.window and state or fixed_window.create(limit, now)
end

function fixed_window.save(limit, state)
  return state.made, state.index, state.count, limit.window
end

local function current_window(limit, state, now)
  local index = math.floor(now / limit.window)
  if index > state.index then
    return index, 0
  end
  return state.index, state.count
end

function fixed_window.admits(limit, state, now, permits)
  local _, count = current_window(limit, state, now)
  return permits <= limit.capacity - count
end

function fixed_window.take(limit, state, now, permits)
  local index, count = current_window(limit, state, now)
  state.index, state.count = index, count + permits
end

function fixed_window.decision(limit, state, now, permits, allowed)
  local index, count = current_window(limit, state, now)
  local rest = (index + 1) * limit.window - now
  local reset = count > 0 and rest or 0
  local wait = 0
  if not allowed then
    wait = permits <= limit.capacity and rest or NEVER
  end
  return math.max(0, limit.capacity - count), wait, reset, reset
end

function fixed_window.give_back(limit, state, now, permits, taken)
  if taken >= state.made and math.floor(taken / limit.window) == state.index then
    state.count = state.count - math.min(permits, state.count)
  end
end
