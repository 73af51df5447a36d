-- ARGV: queue, key   Returns {paused, band or '', place in it from 0, ms until it is added or -1, pump that holds it or
-- '', ms since it was taken, band it will be added to again or '', failures, reclaims, crashes alone}.
local queue, key = ARGV[1], ARGV[2]

local function place_in_line()
  for _, band in ipairs({'high', 'low', 'suspect', 'quarantine'}) do
    local rank = call('ZRANK', name(queue, band), key)
    if rank then return band, rank end
  end
  return '', 0
end

local band, rank = place_in_line()
local due = call('ZSCORE', name(queue, 'delayed'), key)
local token = call('HGET', name(queue, 'lease'), key)
local pump, since = string.match(token or '', '^(.-)/.*@(%d+)$')
local reclaims, alone = split_crashes(call('HGET', name(queue, 'crashes'), key) or '0:0')
return {
  is_paused(queue) and 1 or 0, band, rank, due and math.max(0, tonumber(due) - now) or -1,
  pump or '', since and math.max(0, now - tonumber(since)) or 0, call('HGET', name(queue, 'again'), key) or '',
  tonumber(call('HGET', name(queue, 'failures'), key) or 0), reclaims, alone,
}
