-- Gives back what a request was given. KEYS: the state, and the ring of each log. ARGV: the numbers of the
-- limits, and behind them the permits, and for each limit the moment of its decision and the time that it named
-- until it would have all its permits.
--: give-back
local strange_p = false
--> giving-back

--: mend-and-give-back
local strange_p = false
--> mend
--> giving-back

--: giving-back
local decides = false
--> names
--> now
--> read
--> unless_of_more
if not found_p then
  return ''
end
--> give_back
local longest = 0
--> lasts
if longest > 0 then
  --> save
else
  call('DEL', unpack(KEYS))
end
return ''
