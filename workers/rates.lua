-- Token buckets, one per account. An absent one is full, so that nothing is left of an account that is not called.
-- ARGV: per account: name, tokens per second, burst, given back, wanted
-- Returns per account: tokens granted, ms until there is another one (0: there is).
local prefix = KEYS[1]
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
now = now + tonumber(redis.call('GET', prefix .. '::skew') or 0)

local function level_of(bucket, rate, burst)
  local level, at = string.match(redis.call('GET', bucket) or '', '^(.+)@(.+)$')
  if not level then return burst end
  return math.min(burst, tonumber(level) + math.max(0, now - tonumber(at)) * rate / 1000)
end

local reply = {}
for i = 1, #ARGV, 5 do
  local bucket, rate, burst = prefix .. '::rate:' .. ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local level = math.min(burst, level_of(bucket, rate, burst) + tonumber(ARGV[i + 3]))
  local granted = math.min(tonumber(ARGV[i + 4]), math.floor(level))
  level = level - granted
  local until_full = math.ceil((burst - level) * 1000 / rate)
  if until_full > 0 then
    redis.call('SET', bucket, string.format('%.6f@%.0f', level, now), 'PX', until_full)
  else
    redis.call('DEL', bucket)
  end
  reply[#reply + 1] = granted
  reply[#reply + 1] = level >= 1 and 0 or math.ceil((1 - level) * 1000 / rate)
end
return reply
