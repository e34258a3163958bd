-- Takes what a request turned out to have used beyond what it was given, whatever is left. KEYS: the state, and
-- the ring of each log. ARGV: the numbers of the limits, and behind them the permits.
--: settle
local unreadable_p = false
--> settling

--: repair-and-settle
local unreadable_p = false
--> repair
--> settling

--: settling
local decides = false
--> names
--> now
--> read
--> unless_of_more
--> charge
local longest = 0
--> lasts
--> save
return ''
