-- A state begins with the moment at which it was written, and that at which it expires. The first limit reads them
-- with its own part. When the server's clock is behind the former, it has been set back: the state is read as of
-- the moment that it knows of, and goes on from the server's, so that no caller waits for the clock to catch up.

--: moment
if written > 9007199254740992 then
  kind, unreadable_p = nil, true
elseif written > now then
  at, changed_p = written, true
end

--: says
((agrees_n and ((allowed and 3) or 1)) or 0) + ((unreadable_p and 4) or 0)
