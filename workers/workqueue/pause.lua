-- ARGV: turn, queues...   These queues, and no others, are paused, unless somebody with a later turn has said so
-- already, or the turn has been forgotten since.
local turn = tonumber(ARGV[1])
local said = call('HMGET', global('declared'), 'turn', 'by')
if turn > tonumber(said[1] or 0) or turn <= tonumber(said[2] or 0) then return end
call('DEL', global('paused'))
for i = 2, #ARGV do call('SADD', global('paused'), ARGV[i]) end
call('HSET', global('declared'), 'by', ARGV[1])
