-- A leaky bucket that makes requests wait. For a request that cannot wait, most_n is the highest level without
-- a wait; for all others it is the full level.

--: numbers
scale_n, cost_n, full_n, most_n

--: admits
agrees_n = permits_p == 0 or level_n + permits_p * cost_n <= most_n

--: passes
passed = math.min(passed, (most_n - level_n) / (permits_p * cost_n))

-- A position in the queue goes back only from its end: those behind it have been promised theirs.
--: returns
local returns = taken >= base_n and taken <= now and base_n + drained == taken + reset

-- A request that would only have to wait is none that does not stop.
--: refuse
refused = refused or (not agrees_n and level_n + permits_p * cost_n > full_n)
