-- Returns the turn of whoever begins to find out which queues are paused: a later one than any before, also than those
-- that an emptied Redis has forgotten.
local turn = string.format('%.0f', math.max(tonumber(call('HGET', global('declared'), 'turn') or 0) + 1, now))
call('HSET', global('declared'), 'turn', turn)
return turn
