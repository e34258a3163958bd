-- The limits of one policy, and the state of one key: the words of all limits in one string, as doubles.
-- ARGV: the permits, and for each limit its kind, its capacity, and three numbers of its algorithm.
-- KEYS: the state, and the ring of each log.
local now = clock()
local permits = tonumber(ARGV[1])
local count = tonumber(ARGV[2])
local limits = {}
local rings = 1
for i = 1, count do
  local at = 3 + (i - 1) * 5
  local limit = {
    kind = ARGV[at],
    capacity = tonumber(ARGV[at + 1]),
    a = tonumber(ARGV[at + 2]),
    b = tonumber(ARGV[at + 3]),
    c = tonumber(ARGV[at + 4]),
    algorithm = algorithms[ARGV[at]]
  }
  if limit.algorithm.keeps_ring then
    rings = rings + 1
    limit.ring = KEYS[rings]
  end
  limit.algorithm.prepare(limit)
  limits[i] = limit
end

-- Each limit's words follow the letter of its kind. Where another was stored, the limits were changed: from
-- there on they begin anew.
local function load()
  local stored = redis.call('GET', KEYS[1])
  local states = {}
  local at = 1
  for i, limit in ipairs(limits) do
    local next_limit = at + 1 + struct.size(limit.algorithm.format)
    if stored and #stored + 1 >= next_limit and string.sub(stored, at, at) == limit.kind then
      states[i] = limit.algorithm.load(limit, now, struct.unpack(limit.algorithm.format, stored, at + 1))
      at = next_limit
    else
      stored = false
      states[i] = limit.algorithm.create(limit, now)
    end
  end
  return states
end

local states = load()

local function save(reset)
  local stored = {}
  for i, limit in ipairs(limits) do
    stored[i] = limit.kind .. struct.pack(limit.algorithm.format, limit.algorithm.save(limit, states[i]))
  end
  local milliseconds = lifetime(reset)
  redis.call('SET', KEYS[1], table.concat(stored), 'PX', milliseconds)
  for i = 2, #KEYS do
    redis.call('PEXPIRE', KEYS[i], milliseconds)
  end
end

local function forget()
  redis.call('DEL', unpack(KEYS))
end
