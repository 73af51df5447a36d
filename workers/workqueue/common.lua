-- Shared head of every script: names, the clock, and the moves of a key between the sets of its queue.
--
-- Per queue, under <prefix>:<queue>: (one hash tag, so that one script may serve all queues)
--   high, low            waiting keys in two bands; score = place in line, monotone and close to 1024 * ms
--   suspect, quarantine  waiting keys that lost a worker once / more often; each is handed out alone
--   lease, expiry        taken keys: key -> token, and when the lease ends
--   again                keys added while taken: key -> band
--   since                key -> ms of its first add, where its place in line is later than that
--   delayed              keys to be added at a time
--   failures, crashes    key -> failures in a row; key -> "reclaims:crashes while alone"
-- For all of them: counters (<queue>:<what>, since Redis was last empty) paused (queues that hand out nothing), and
-- declared (turn: the last one who began to find out which these are; by: the turn of the last one who has told).
local P = KEYS[1]
local call = redis.call

local function name(queue, part) return P .. ':' .. queue .. ':' .. part end
local function global(part) return P .. '::' .. part end

local clock = call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
now = now + tonumber(call('GET', global('skew')) or 0)

local place = tonumber(call('HGET', global('control'), 'place') or 0)
local first_place = place
local function next_place()
  place = math.max(place + 1, now * 1024)
  return string.format('%.0f', place)
end
local function keep_place()
  if place ~= first_place then call('HSET', global('control'), 'place', string.format('%.0f', place)) end
end

-- Counting costs a script one field per kind, however many keys it carries.
local counts = {}
local function count(queue, what, n)
  local field = queue .. ':' .. what
  counts[field] = (counts[field] or 0) + n
end
-- The bucket is the first bound, in ms, that is not exceeded; past the last one the number after it.
local function observe(queue, what, ms)
  local bucket = 1
  while BOUNDS[bucket] and ms > BOUNDS[bucket] do bucket = bucket + 1 end
  count(queue, what .. ':' .. bucket, 1)
  count(queue, what .. '_ms', ms)
end
local function keep_counts()
  for field, n in pairs(counts) do
    if n > 0 then call('HINCRBY', global('counters'), field, n) end
  end
end

local function is_paused(queue) return call('SISMEMBER', global('paused'), queue) == 1 end

local function split_crashes(text)
  local reclaims, alone = string.match(text, '^(%d+):(%d+)$')
  return tonumber(reclaims), tonumber(alone)
end

-- Put a key that nobody holds in line. A priority only rises, and a key that waits keeps its place in its band.
-- Returns 1 if it was not waiting before.
local function line_up(queue, key, band, crashes_known)
  local crashes = crashes_known and call('HGET', name(queue, 'crashes'), key)
  if crashes then
    local reclaims = split_crashes(crashes)
    return call('ZADD', name(queue, reclaims > 1 and 'quarantine' or 'suspect'), 'NX', next_place(), key)
  end
  if band == 'low' then
    if call('ZSCORE', name(queue, 'high'), key) then return 0 end
    return call('ZADD', name(queue, 'low'), 'NX', next_place(), key)
  end
  local low = call('ZSCORE', name(queue, 'low'), key)
  if low then
    call('ZREM', name(queue, 'low'), key)
    call('HSETNX', name(queue, 'since'), key, math.floor(tonumber(low) / 1024))
  end
  return call('ZADD', name(queue, 'high'), 'NX', next_place(), key) * (low and 0 or 1)
end

-- Add a key: in line if free, remembered if somebody holds it. Returns 1 if that is news.
local function add(queue, key, band, known)
  if known.leases and call('HEXISTS', name(queue, 'lease'), key) == 1 then
    local again = call('HGET', name(queue, 'again'), key)
    if not again or (again == 'low' and band == 'high') then call('HSET', name(queue, 'again'), key, band) end
    if not again then call('HSET', name(queue, 'since'), key, now) end
    return again and 0 or 1
  end
  return line_up(queue, key, band, known.crashes)
end

-- Which of a queue's rarely filled parts have anything in them, so that a batch need not ask key by key.
local function what_is_known(queue)
  return {
    leases = call('EXISTS', name(queue, 'lease')) == 1,
    crashes = call('EXISTS', name(queue, 'crashes')) == 1,
    again = call('EXISTS', name(queue, 'again')) == 1,
    failures = call('EXISTS', name(queue, 'failures')) == 1,
    since = call('EXISTS', name(queue, 'since')) == 1,
  }
end

local function delay_until(queue, key, due) call('ZADD', name(queue, 'delayed'), 'LT', due, key) end

-- Milliseconds of back-off after one more failure; the same formula as workers/backoff.py.
local function count_failure(queue, key, limits)
  local exponent = math.min(call('HINCRBY', name(queue, 'failures'), key, 1) - 1, 40)
  local wait = math.min(limits.cap, limits.base * 2 ^ exponent)
  return math.floor(wait * (1 - limits.jitter * math.random()))
end

local function is_waiting(queue)
  return call('EXISTS', name(queue, 'high')) == 1 or call('EXISTS', name(queue, 'low')) == 1
    or call('EXISTS', name(queue, 'suspect')) == 1 or call('EXISTS', name(queue, 'quarantine')) == 1
end

local function is_due(queue, part)
  local first = call('ZRANGE', name(queue, part), 0, 0, 'WITHSCORES')
  return first[2] ~= nil and tonumber(first[2]) <= now
end

-- See that somebody comes for new work. Rings for one listening pump; returns 1 if a message must be sent
-- instead: nobody listens, no pump has come for work lately, there is room for one, and none was just sent for.
local function summon(limit, sibling)
  call('ZREMRANGEBYSCORE', global('listening'), '-inf', now)
  if #call('ZPOPMAX', global('listening')) > 0 then
    call('LPUSH', global('bell'), 1)
    call('PEXPIRE', global('bell'), 10000)
    return 0
  end
  call('ZREMRANGEBYSCORE', global('pumps'), '-inf', now)
  local pumps = call('ZCARD', global('pumps'))
  if pumps >= limit then return 0 end
  local last_get = tonumber(call('HGET', global('control'), 'last_get') or 0)
  if pumps > 0 and not sibling and math.abs(now - last_get) < 250 then return 0 end
  return call('SET', global('waking'), 1, 'NX', 'PX', 1000) and 1 or 0
end
