-- ARGV: seed, how many counts the pump brings along, for each: <queue>:<what>, n; then per queue: name, base ms, cap ms,
-- jitter, number of keys, and for each key: key, pump/token@ms, outcome, delay ms
-- Returns {keys that wait again, ms until the first delayed one or -1, positions (from 0) of those refused because
-- the lease is no longer theirs...}.
math.randomseed(tonumber(ARGV[1]))
local refused, waiting, soonest, position = {}, 0, math.huge, 0

local function delay(queue, key, wait)
  delay_until(queue, key, now + wait)
  soonest = math.min(soonest, wait)
end

-- Whatever the outcome, the worker has lived through it.
local function clear_suspicion(queue, key, holder)
  if call('HDEL', name(queue, 'crashes'), key) == 0 then return end
  if call('HGET', global('alone'), holder) == queue .. '/' .. key then call('HDEL', global('alone'), holder) end
end

local function release(queue, key, token, known)
  call('HDEL', name(queue, 'lease'), key)
  call('ZREM', name(queue, 'expiry'), key)
  if known.crashes then clear_suspicion(queue, key, string.match(token, '^(.-)/')) end
end

local function settle(queue, key, outcome, wait, limits, known)
  count(queue, outcome == 'after' and wait <= 0 and 'requeue' or outcome, 1)
  if outcome == 'error' then
    delay(queue, key, count_failure(queue, key, limits))
    known.failures = true
    return
  end
  if known.failures then call('HDEL', name(queue, 'failures'), key) end
  if outcome ~= 'after' then return end
  if wait > 0 then return delay(queue, key, wait) end
  waiting = waiting + line_up(queue, key, 'high', false)
  -- What was added meanwhile has been counted then.
  if not (known.again and call('HEXISTS', name(queue, 'again'), key) == 1) then count(queue, 'adds', 1) end
end

local function run_again(queue, key, known)
  local band = known.again and call('HGET', name(queue, 'again'), key)
  if not band then return end
  call('HDEL', name(queue, 'again'), key)
  waiting = waiting + line_up(queue, key, band, false)
end

local function finish_key(queue, i, limits, known)
  local key, token = ARGV[i], ARGV[i + 1]
  if call('HGET', name(queue, 'lease'), key) ~= token then
    refused[#refused + 1] = position
    count(queue, 'stale_finishes', 1)
  else
    observe(queue, 'worked', math.max(0, now - tonumber(string.match(token, '@(%d+)$'))))
    release(queue, key, token, known)
    settle(queue, key, ARGV[i + 2], tonumber(ARGV[i + 3]), limits, known)
    run_again(queue, key, known)
  end
  position = position + 1
end

for i = 3, 2 * tonumber(ARGV[2]) + 2, 2 do counts[ARGV[i]] = tonumber(ARGV[i + 1]) end
local at = 2 * tonumber(ARGV[2]) + 3
while at <= #ARGV do
  local queue, first = ARGV[at], at + 5
  local limits = {base = tonumber(ARGV[at + 1]), cap = tonumber(ARGV[at + 2]), jitter = tonumber(ARGV[at + 3])}
  local known = what_is_known(queue)
  at = first + 4 * tonumber(ARGV[at + 4])
  for i = first, at - 1, 4 do finish_key(queue, i, limits, known) end
end
keep_place()
keep_counts()
return {waiting, soonest == math.huge and -1 or soonest, unpack(refused)}
