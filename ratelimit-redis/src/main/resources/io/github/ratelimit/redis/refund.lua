-- Refunds what a request was given. KEYS: the state, and the ring of each log. ARGV: the numbers of the
-- limits, and behind them the permits, and for each limit the moment of its decision and the time that it named
-- until it would have all its permits.
--: refund
local unreadable_p = false
--> refunding

--: repair-and-refund
local unreadable_p = false
--> repair
--> refunding

--: refunding
local decides = false
--> names
--> now
--> read
--> unless_of_more
if not found_p then
  return ''
end
--> refund_permits
local longest = 0
--> lasts
if longest > 0 then
  --> save
else
  call('DEL', unpack(KEYS))
end
return ''
