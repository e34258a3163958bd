-- What instances of an application tell each other. KEYS: the version of all overrides together; the texts of the
-- overrides by name, each behind its own version and the moment of its end, or 0; and the reports of the instances by
-- name, each behind the moment at which it was published. Versions are moments, so that none comes back, whatever the
-- server has lost.

-- Reads some of the texts, or the time alone if the version is known, and publishes a report. ARGV: the known version,
-- and where the last reading ended, which is 0 at first; and if there is a report, the name of the instance, the report,
-- and 1 if those of instances that are gone are to go.
--: read
--> beginning
--> now
if ARGV[3] then
  redis.pcall('HSET', KEYS[3], ARGV[3], pack('<d', now) .. ARGV[4])
  redis.pcall('PEXPIRE', KEYS[3], 60000)
end
if ARGV[5] == '1' then
  --> remove_gone
end
if ARGV[2] == '0' and version == tonumber(ARGV[1]) then
  return pack('<d', now)
end
local found = call('HSCAN', KEYS[2], ARGV[2], 'COUNT', 100)
local texts = {}
for i = 1, #found[2], 2 do
  local name, value = found[2][i], found[2][i + 1]
  if lasts(value, now) then
    texts[#texts + 1] = pack('<I4I4', #name, #value) .. name .. value
  else
    redis.pcall('HDEL', KEYS[2], name)
  end
end
return pack('<ddI4', version, now, #found[1]) .. found[1] .. table.concat(texts)

--: repair-and-read
--> repair
--> read

-- Reads the reports of the instances that are not gone, each behind its age.
--: reports
--> commands
--> now
--> remove_gone
local texts = {}
for name, report in pairs(reports) do
  texts[#texts + 1] = pack('<I4I4d', #name, #report - 8, now - parse('<d', report)) .. name .. string.sub(report, 9)
end
return table.concat(texts)

--: repair-and-reports
--> repair
--> reports

-- An instance publishes every second, and is gone if it has not for ten.
--: remove_gone
local reports, cursor = {}, '0'
repeat
  local found = call('HSCAN', KEYS[3], cursor, 'COUNT', 100)
  cursor = found[1]
  for i = 1, #found[2], 2 do
    local name, report = found[2][i], found[2][i + 1]
    if #report >= 8 and math.abs(now - parse('<d', report)) < 10000000 then
      reports[name] = report
    else
      redis.pcall('HDEL', KEYS[3], name)
    end
  end
until cursor == '0'

-- Writes a text, or removes it. ARGV: the name, the version that is expected or -1, how many names there may be,
-- for how many microseconds or -1, and the text unless it is to go. Answers with 0 if it is done, 1 if another version was
-- expected, 2 if there are too many names; the version of all together; and the one of the text before, or 0.
--: write
--> beginning
--> now
local name, expected, most, duration, text = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local outcome, before = 0, 0
local held = call('HGET', KEYS[2], name)
if held and not lasts(held, now) then
  call('HDEL', KEYS[2], name)
  held = false
end
if held then
  before = parse('<d', held)
end
if expected >= 0 and expected ~= before then
  outcome = 1
elseif text and not held and call('HLEN', KEYS[2]) >= most then
  --> remove_ended
  if call('HLEN', KEYS[2]) >= most then
    outcome = 2
  end
end
if outcome == 0 and (text or held) then
  version = math.max(version + 1, now)
  call('SET', KEYS[1], string.format('%.0f', version))
  if text then
    call('HSET', KEYS[2], name, pack('<dd', version, duration >= 0 and now + duration or 0) .. text)
  else
    call('HDEL', KEYS[2], name)
  end
end
return pack('<Bdd', outcome, version, before)

--: repair-and-write
--> repair
--> write

--: commands
local call, pack, parse = redis.call, struct.pack, struct.unpack

--: beginning
--> commands
local version = tonumber(call('GET', KEYS[1])) or 0
if not (version >= 0 and version <= 9007199254740992) then
  version = 0
end
local function lasts(value, now)
  if #value < 16 then
    return false
  end
  local written, ends = parse('<dd', value)
  return written > 0 and written <= 9007199254740992 and (ends == 0 or (ends > now and ends <= 9007199254740992))
end

--: remove_ended
local cursor = '0'
repeat
  local found = call('HSCAN', KEYS[2], cursor, 'COUNT', 100)
  cursor = found[1]
  for i = 1, #found[2], 2 do
    if not lasts(found[2][i + 1], now) then
      call('HDEL', KEYS[2], found[2][i])
    end
  end
until cursor == '0'

-- What is of another type is another application's.
--: repair
for i, command in ipairs({ 'GET', 'HLEN', 'HLEN' }) do
  local held = redis.pcall(command, KEYS[i])
  if type(held) == 'table' and string.find(held.err, 'WRONGTYPE', 1, true) then
    redis.call('DEL', KEYS[i])
  end
end
