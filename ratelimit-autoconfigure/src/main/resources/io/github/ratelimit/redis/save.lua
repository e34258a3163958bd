-- Keeps the state of all limits, in one string, until all are as good as new.
--: save
--> lifetime
redis.call('SET', KEYS[1], struct.pack(STATE), 'PX', milliseconds)
--> expire
