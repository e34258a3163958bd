-- Sliding window log: the time stamps of the counted permits in ascending order, at most as many as the
-- limit, as eight bytes each in a ring in a string of its own. A stamp is found by halving.
local log = { format = '>ddd', keeps_ring = true }
algorithms.G = log

function log.prepare(limit)
  limit.window = limit.a
  limit.notes_refusals = limit.b == 1
end

function log.create(limit, now)
  return { room = 0, head = 0, count = 0 }
end

function log.load(limit, now, room, head, count)
  -- the server may have evicted the one key and not the other
  if redis.call('STRLEN', limit.ring) < math.min(room, head + count) * 8 then
    return log.create(limit, now)
  end
  return { room = room, head = head, count = count }
end

function log.save(limit, state)
  return state.room, state.head, state.count
end

local function stamp(limit, state, position)
  local at = (state.head + position) % state.room * 8
  return (struct.unpack('>d', redis.call('GETRANGE', limit.ring, at, at + 7)))
end

local function read(limit, state, position, length)
  if length <= 0 then
    return ''
  end
  local at = (state.head + position) % state.room
  local first = math.min(length, state.room - at)
  local stamps = redis.call('GETRANGE', limit.ring, at * 8, (at + first) * 8 - 1)
  if first < length then
    stamps = stamps .. redis.call('GETRANGE', limit.ring, 0, (length - first) * 8 - 1)
  end
  return stamps
end

local function write(limit, state, position, stamps)
  local at = (state.head + position) % state.room
  local first = (state.room - at) * 8
  redis.call('SETRANGE', limit.ring, at * 8, string.sub(stamps, 1, first))
  if #stamps > first then
    redis.call('SETRANGE', limit.ring, 0, string.sub(stamps, first + 1))
  end
end

-- The position of the first stamp that is later than a moment.
local function first_after(limit, state, moment)
  local low, high = 0, state.count
  while low < high do
    local middle = math.floor((low + high) / 2)
    if stamp(limit, state, middle) > moment then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local function live(limit, state, now)
  if not state.live then
    state.live = state.count - first_after(limit, state, now - limit.window)
  end
  return state.live
end

local function until_expired(limit, state, position, now)
  return stamp(limit, state, position) + limit.window - now
end

local function append(limit, state, now, permits)
  local latest = state.count > 0 and math.max(now, stamp(limit, state, state.count - 1)) or now
  local kept = math.min(live(limit, state, now), limit.capacity - permits)
  if kept + permits > state.room or state.room > limit.capacity then
    local stamps = read(limit, state, state.count - kept, kept)
    state.room = math.min(limit.capacity, math.max(kept + permits, math.floor(state.room * 1.5)))
    if redis.call('STRLEN', limit.ring) > state.room * 8 then
      redis.call('DEL', limit.ring)
    end
    state.head = 0
    if kept > 0 then
      write(limit, state, 0, stamps)
    end
  else
    state.head = (state.head + state.count - kept) % state.room
  end
  write(limit, state, kept, string.rep(struct.pack('>d', latest), permits))
  state.count = kept + permits
  state.live = state.count
end

function log.admits(limit, state, now, permits)
  if permits > limit.capacity then
    return false
  end
  local too_many = state.count + permits - limit.capacity
  return too_many <= 0 or now - stamp(limit, state, too_many - 1) >= limit.window
end

log.take = append

log.refuse = append

function log.decision(limit, state, now, permits, allowed)
  local counted = live(limit, state, now)
  local oldest = state.count - counted
  local reset, next_permit, wait = 0, 0, 0
  if counted > 0 then
    reset = until_expired(limit, state, state.count - 1, now)
    next_permit = until_expired(limit, state, oldest, now)
  end
  if permits > limit.capacity then
    wait = NEVER
  elseif not allowed then
    local too_many = math.max(1, counted + permits - limit.capacity)
    wait = until_expired(limit, state, oldest + too_many - 1, now)
  end
  return math.max(0, limit.capacity - counted), wait, reset, next_permit
end

function log.give_back(limit, state, now, permits, taken)
  local first = first_after(limit, state, taken - 1)
  local removed = math.min(permits, first_after(limit, state, taken) - first)
  local later = state.count - first - removed
  if removed > 0 and later > 0 then
    write(limit, state, first, read(limit, state, first + removed, later))
  end
  state.count = state.count - removed
  state.live = nil
end
