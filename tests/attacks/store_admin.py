"""A function that sends the server what an admin sends. Each command is refused.

exercise: 2.5
status: wrong
earned: 0
says: Your answer stopped with an error.
came: it raised RuntimeError: let through: nothing
"""

COMMANDS = """SHUTDOWN NOSAVE|CONFIG SET dir /|CONFIG GET *|ACL SETUSER student +@all|ACL LIST|DEBUG SLEEP 100|FLUSHALL
FLUSHDB|SCRIPT KILL|SCRIPT FLUSH|MONITOR|MIGRATE localhost 1 k 0 1|REPLICAOF localhost 1|SELECT 1|SWAPDB 0 1|AUTH default x
BLPOP emq:{checked}:x 0|SUBSCRIBE x|PSUBSCRIBE *|SAVE|BGSAVE|MODULE LIST|FUNCTION FLUSH|FCALL x 0|KEYS *|SLOWLOG GET|RESET
LATENCY RESET|CLUSTER INFO|QUIT|PUBLISH x y|WAIT 1 0|SET outside 1|GET outside|COMMAND|INFO|SYNC|FAILOVER|MEMORY DOCTOR
XREAD BLOCK 0 STREAMS emq:{checked}:x $|BZPOPMIN emq:{checked}:x 0|PSYNC ? -1|CLIENT KILL TYPE normal|DEBUG SEGFAULT"""


def boot(conn, queue, schedules):
    through = []
    for line in COMMANDS.replace("\n", "|").split("|"):
        if line:
            try:
                if conn.client.execute_command(*line.split()) not in (True, b"OK", "OK") or "CLIENT" not in line:
                    through.append(line)
            except Exception as error:
                if "permission" not in str(error) and "not allowed" not in str(error):
                    through.append(f"{line}: {error}")
    raise RuntimeError("let through: " + (", ".join(through) or "nothing"))
