-- ARGV: seed, then per key: queue, key, pump/token, outcome, delay ms, base ms, cap ms, jitter
-- Returns {keys that wait again, ms until the first delayed one or -1, positions (from 0) of those refused because
-- the lease is no longer theirs...}.
math.randomseed(tonumber(ARGV[1]))
local refused, seen, waiting, soonest = {}, {}, 0, math.huge

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

local function settle(queue, key, i, known)
  local outcome, wait = ARGV[i + 3], tonumber(ARGV[i + 4])
  if outcome == 'error' then
    local limits = {base = tonumber(ARGV[i + 5]), cap = tonumber(ARGV[i + 6]), jitter = tonumber(ARGV[i + 7])}
    delay(queue, key, count_failure(queue, key, limits))
    known.failures = true
    return
  end
  if known.failures then call('HDEL', name(queue, 'failures'), key) end
  if outcome ~= 'after' then return end
  if wait > 0 then delay(queue, key, wait) else waiting = waiting + line_up(queue, key, 'high', false) end
end

local function run_again(queue, key, known)
  local band = known.again and call('HGET', name(queue, 'again'), key)
  if not band then return end
  call('HDEL', name(queue, 'again'), key)
  waiting = waiting + line_up(queue, key, band, false)
end

for i = 2, #ARGV, 8 do
  local queue, key = ARGV[i], ARGV[i + 1]
  if call('HGET', name(queue, 'lease'), key) ~= ARGV[i + 2] then
    refused[#refused + 1] = (i - 2) / 8
  else
    seen[queue] = seen[queue] or what_is_known(queue)
    release(queue, key, ARGV[i + 2], seen[queue])
    settle(queue, key, i, seen[queue])
    run_again(queue, key, seen[queue])
  end
end
if #refused > 0 then call('HINCRBY', global('counters'), 'stale_finishes', #refused) end
keep_place()
return {waiting, soonest == math.huge and -1 or soonest, unpack(refused)}
