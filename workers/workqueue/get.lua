-- ARGV: n, pump, token, leases held, lease ms, most pumps, seed, stay (1: listen when nothing is left),
--       told (1: hand out nothing before it was declared which queues are paused), then per queue: name, weight, most
--       (keys of this one; 0: none), base ms, cap ms, jitter
-- Returns {state, keys left per queue, next due in ms or -1, now in ms, leases...}; state: 1 registered, 0 not (too many, or nothing
-- to do), 2 registered, and a key in quarantine waits until this pump's hands are empty, 3 registered, and not told.
-- A lease is: queue's position from 1, key, ms it has waited since its first add; with a history: the position negated,
-- key, ms, failures, reclaims, crashes alone, alone. Its token ends in @ and the ms it was taken at.
local n, pump, token, held = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])
local lease_ms, limit, stay = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[8] == '1'
math.randomseed(tonumber(ARGV[7]))

call('ZREMRANGEBYSCORE', global('pumps'), '-inf', now)
if not call('ZSCORE', global('pumps'), pump) then
  if call('ZCARD', global('pumps')) >= limit then return {0, {}, -1, now} end
  call('DEL', global('waking'))
end
call('ZADD', global('pumps'), now + lease_ms, pump)
call('HSET', global('control'), 'last_get', now)
-- Whoever takes more is no longer alone with what he has.
call('HDEL', global('alone'), pump)

if ARGV[9] == '1' and call('HEXISTS', global('declared'), 'by') == 0 then return {3, {}, -1, now} end

local queues = {}
for i = 10, #ARGV, 6 do
  queues[#queues + 1] = {
    position = #queues + 1, name = ARGV[i], weight = tonumber(ARGV[i + 1]),
    most = tonumber(ARGV[i + 2]), base = tonumber(ARGV[i + 3]), cap = tonumber(ARGV[i + 4]),
    jitter = tonumber(ARGV[i + 5]), paused = is_paused(ARGV[i]),
  }
end

-- A crash counts only if the key was all its pump held; the pump is named in front of its token.
local function reclaim(queue, key)
  local holder = string.match(call('HGET', name(queue.name, 'lease'), key) or '', '^(.-)/')
  local reclaims, alone = split_crashes(call('HGET', name(queue.name, 'crashes'), key) or '0:0')
  local mark = queue.name .. '/' .. key
  if holder and call('HGET', global('alone'), holder) == mark then
    alone = alone + 1
    call('HDEL', global('alone'), holder)
  end
  call('HSET', name(queue.name, 'crashes'), key, (reclaims + 1) .. ':' .. alone)
  call('HDEL', name(queue.name, 'lease'), key)
  call('ZREM', name(queue.name, 'expiry'), key)
  call('HDEL', name(queue.name, 'again'), key)
  call('HDEL', name(queue.name, 'since'), key)
  count(queue.name, 'reclaims', 1)
  delay_until(queue.name, key, now + count_failure(queue.name, key, queue))
end

local function bring_back(queue)
  for _, key in ipairs(call('ZRANGEBYSCORE', name(queue.name, 'expiry'), '-inf', now, 'LIMIT', 0, 200)) do
    reclaim(queue, key)
  end
  local due = call('ZRANGEBYSCORE', name(queue.name, 'delayed'), '-inf', now, 'LIMIT', 0, 500)
  if #due == 0 then return end
  local known = what_is_known(queue.name)
  call('ZREM', name(queue.name, 'delayed'), unpack(due))
  for _, key in ipairs(due) do count(queue.name, 'adds', add(queue.name, key, 'high', known)) end
end

local reply = {1, {}, -1, now}
local taken = 0

-- Milliseconds since a waiting key was first added; forgets it.
local function time_in_line(queue, key, place_in_line, known)
  local first = known.since and call('HGET', name(queue.name, 'since'), key)
  if first then call('HDEL', name(queue.name, 'since'), key) end
  return math.max(0, now - tonumber(first or math.floor(tonumber(place_in_line) / 1024)))
end

local function hand_out(queue, key, place_in_line, known, alone)
  local reclaims, alone_crashes = 0, 0
  local crashes = known.crashes and call('HGET', name(queue.name, 'crashes'), key)
  if crashes then reclaims, alone_crashes = split_crashes(crashes) end
  local queued = time_in_line(queue, key, place_in_line, known)
  observe(queue.name, 'queued', queued)
  call('HSET', name(queue.name, 'lease'), key, pump .. '/' .. token .. '@' .. now)
  call('ZADD', name(queue.name, 'expiry'), now + lease_ms, key)
  local failures = tonumber(known.failures and call('HGET', name(queue.name, 'failures'), key) or 0)
  local row = {queue.position, key, queued}
  if failures > 0 or reclaims > 0 then
    row = {-queue.position, key, queued, failures, reclaims, alone_crashes, alone and 1 or 0}
  end
  for _, value in ipairs(row) do reply[#reply + 1] = value end
  taken = taken + 1
end

local function take(queue, band, count)
  if count <= 0 then return end
  local popped = call('ZPOPMIN', name(queue.name, band), count)
  if #popped == 0 then return end
  local known = what_is_known(queue.name)
  for i = 1, #popped, 2 do hand_out(queue, popped[i], popped[i + 1], known, false) end
end

-- One key that has lost a worker, by itself. The first time it may run beside what the pump holds already; later
-- the pump must hold nothing else.
local function take_suspect()
  for _, queue in ipairs(queues) do
    local band = held == 0 and call('EXISTS', name(queue.name, 'quarantine')) == 1 and 'quarantine' or 'suspect'
    local popped = (queue.paused or queue.most == 0) and {} or call('ZPOPMIN', name(queue.name, band), 1)
    if #popped > 0 then
      hand_out(queue, popped[1], popped[2], what_is_known(queue.name), held == 0)
      if held == 0 then call('HSET', global('alone'), pump, queue.name .. '/' .. popped[1]) end
      return true
    end
  end
  return false
end

-- Shares are kept as credit over calls, so that small batches are fair too.
local function credit(field, amount)
  return tonumber(call('HINCRBYFLOAT', global('credit'), field, string.format('%.6f', amount)))
end

-- An eighth of a batch; batches too small to be shared take turns.
local function low_share(queue, count)
  if count >= 8 then return math.ceil(count / 8) end
  local share = math.floor(credit(queue.name .. ':low', count / 8) + 0.0001)
  if share > 0 then credit(queue.name .. ':low', -share) end
  return share
end

local function take_from(queue, count)
  local high, low = call('ZCARD', name(queue.name, 'high')), call('ZCARD', name(queue.name, 'low'))
  local share = 0
  if high > 0 and low > 0 then
    share = math.min(low, low_share(queue, count))
  end
  local from_high = math.min(high, count - share)
  local from_low = math.min(low, count - from_high)
  take(queue, 'high', from_high)
  take(queue, 'low', from_low)
  return from_high + from_low
end

local function take_in_turn()
  local busy, weights = {}, 0
  for _, queue in ipairs(queues) do
    queue.ready = call('ZCARD', name(queue.name, 'high')) + call('ZCARD', name(queue.name, 'low'))
    queue.ready = math.min(queue.ready, queue.most)
    if queue.ready > 0 and not queue.paused then busy[#busy + 1] = queue; weights = weights + queue.weight end
  end
  if #busy == 1 then take_from(busy[1], math.min(n, busy[1].ready)); return end
  for _, queue in ipairs(busy) do queue.credit = credit(queue.name, n * queue.weight / weights) end
  table.sort(busy, function(a, b) return a.credit > b.credit end)
  for _, queue in ipairs(busy) do
    queue.share = math.min(queue.ready, math.max(0, math.floor(queue.credit + 0.0001)), n - taken)
    take_from(queue, queue.share)
  end
  for _, queue in ipairs(busy) do
    local more = math.min(queue.ready - queue.share, n - taken)
    if more > 0 then take_from(queue, more); queue.share = queue.share + more end
    local rest = math.max(-n, math.min(n, queue.credit - queue.share))
    call('HSET', global('credit'), queue.name, queue.ready == queue.share and 0 or rest)
  end
end

for _, queue in ipairs(queues) do bring_back(queue) end

local suspect_last = call('HGET', global('control'), 'suspect_last') == '1'
if n > 0 and not suspect_last and take_suspect() then
  call('HSET', global('control'), 'suspect_last', 1)
elseif n > 0 then
  take_in_turn()
  if taken == 0 and suspect_last then take_suspect() end
  if suspect_last then call('HDEL', global('control'), 'suspect_last') end
end

local left, due = 0, nil
local function look_ahead(queue)
  local here = 0
  for _, band in ipairs({'high', 'low', 'suspect', 'quarantine'}) do
    here = here + call('ZCARD', name(queue.name, band))
  end
  reply[2][queue.position], left = here, left + here
  for _, part in ipairs({'delayed', 'expiry'}) do
    local first = call('ZRANGE', name(queue.name, part), 0, 0, 'WITHSCORES')
    if first[2] then due = math.min(due or math.huge, tonumber(first[2])) end
  end
  if held > 0 and call('EXISTS', name(queue.name, 'quarantine')) == 1 then reply[1] = 2 end
end
for _, queue in ipairs(queues) do
  if queue.paused then reply[2][queue.position] = 0 else look_ahead(queue) end
end
if due then reply[3] = math.max(0, due - now) end

if left > 0 then
  call('ZREM', global('listening'), pump)
elseif stay or taken + held > 0 then
  call('ZADD', global('listening'), now + lease_ms, pump)
else
  call('ZREM', global('listening'), pump)
  call('ZREM', global('pumps'), pump)
  reply[1] = 0
end
keep_place()
keep_counts()
return reply
