-- Keeps the state of all limits, in one string that begins with the moment at which it expires: when all are
-- as good as new, and a little later, so that the expiry need not be renewed at every decision.
--: save
local ends = now + longest
local expires = stored and struct.unpack('>d', stored) or 0
if expires >= ends and expires <= ends + 900000 then
  redis.call('SET', KEYS[1], struct.pack(STATE), 'KEEPTTL')
else
  expires = ends + 900000
  --> lifetime
  redis.call('SET', KEYS[1], struct.pack(STATE), 'PX', milliseconds)
  --> expire
end
