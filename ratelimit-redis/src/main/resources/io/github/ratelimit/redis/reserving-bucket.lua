-- A token bucket whose requests may wait: it is filled above its capacity, with the tokens that arrive meanwhile. The
-- full level is that of all that can be reserved. For a request that cannot wait, most_n is the level of the capacity;
-- for all others it is the full one.

--: numbers
scale_n, cost_n, full_n, most_n, capacity_n

--: admits
agrees_n = permits_p == 0 or (permits_p <= capacity_n and level_n + permits_p * cost_n <= most_n)

--: passes
passed = permits_p <= capacity_n and math.min(passed, (most_n - level_n) / (permits_p * cost_n)) or 0

--: can_pass
carried_p = carried_p and permits_p <= capacity_n

-- A request that would only have to wait is none that does not stop.
--: refuse
refused = refused or (not agrees_n and (permits_p > capacity_n or level_n + permits_p * cost_n > full_n))
