-- A policy that bans keys that do not stop. The last of its keys holds when it was written, until when the last
-- ban lasts, the last rejection that counted, how many bans there were, and the moments of the rejections that
-- count for the next one, in ascending order. Behind the numbers of the limits are those of the ban.

--: banned
local until_p, begun_p, kept_p = 0, 0, false
local ban_p = call('GET', KEYS[LAST_KEY_p])
if ban_p then
  local kind, written, last, times
  if #ban_p >= 33 and #ban_p % 8 == 1 then
    kind, written, until_p, last, times = parse('<Bdddd', ban_p)
  end
  if not (kind == 66 and written >= 0 and written <= 9007199254740992 and last >= 0 and last <= written
      and until_p >= 0 and until_p - written <= 31622400000000 and times >= 0 and times <= 1000000) then
    until_p, ban_p, unreadable_p = 0, false, true
  elseif written > now then
    --> ban_set_back
  end
end

-- The server's clock was set back: all moments go with it.
--: ban_set_back
local back = written - now
local stamps = {}
for i = 34, #ban_p, 8 do
  stamps[#stamps + 1] = pack('<d', parse('<d', ban_p, i) - back)
end
until_p = math.max(0, until_p - back)
ban_p = pack('<Bdddd', 66, now, until_p, math.max(0, last - back), times) .. table.concat(stamps)
call('SET', KEYS[LAST_KEY_p], ban_p, 'KEEPTTL')

--: unless_banned
allowed = allowed and (permits_p == 0 or until_p <= now)

--: none_while_banned
if until_p > now then
  passed = 0
end

-- Until when it lasts, and if the request has begun it, how many there were.
--: ban
until_p, begun_p

-- While a key is banned, its rejections change nothing.
--: turn_away
if permits_p > 0 and until_p > now then
  rejected = true
else
  --> carry
  --> reject
  local refused = false
  --> refuse
  if refused then
    --> count
  end
  rejected = rejected or not agrees_n
end

-- Counts a rejection, unless the policy could never let such a request pass, and begins a ban with the last of
-- those that there must be.
--: count
local after, within, first, multiplier, longest, most = parse('<dddddd', ARGV[NUMBER_p], BAN_p)
if permits_p <= most then
  local last, times, stamps = 0, 0, ''
  if ban_p then
    last, times = parse('<dd', ban_p, 18)
    stamps = string.sub(ban_p, 34)
  end
  local function duration()
    local micros = first
    for i = 2, times do
      if micros >= longest or multiplier == 1 then
        break
      end
      micros = micros * multiplier
    end
    return math.floor(math.min(micros, longest))
  end
  if times > 0 and now - math.max(until_p, last) >= math.max(duration(), within) then
    times = 0
  end
  local live = 1
  while live <= #stamps and parse('<d', stamps, live) <= now - within do
    live = live + 8
  end
  stamps = string.sub(stamps, live)
  --> count_rejections
  if #stamps >= after * 8 then
    times = math.min(times + 1, 1000000)
    until_p, begun_p, stamps = now + duration(), times, ''
  end
  local ends = math.max(until_p, now) + math.max(times > 0 and duration() or 0, within)
  local expires = (ends - ends % 900000) / 900000 + 1
  --> lifetime
  ban_p, kept_p = pack('<Bdddd', 66, now, until_p, now, times) .. stamps, milliseconds
end

--: keep_ban
if kept_p then
  call('SET', KEYS[LAST_KEY_p], ban_p, 'PX', kept_p)
end
