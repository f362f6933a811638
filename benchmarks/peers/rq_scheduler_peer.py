"""rq-scheduler: `python rq_scheduler_peer.py SOCKET`, a line in, a number out.

register FIRST COUNT   `schedule` with an interval of a day, due in a day      seconds
due COUNT              not timed: the first COUNT fall due, the queue is emptied
run COUNT              `enqueue_jobs`, as one turn of its loop does            seconds
tick COUNT             so many turns of its loop with nothing due              seconds
"""

import sys
import warnings
from datetime import UTC, datetime, timedelta
from time import perf_counter, time

from redis import Redis
from rq_scheduler import Scheduler

warnings.simplefilter("ignore")
DAY_S = 86_400

client = Redis(unix_socket_path=sys.argv[1], single_connection_client=True)
scheduler = Scheduler(connection=client)


def register(first: int, count: int) -> float:
    began = perf_counter()
    for number in range(first, first + count):
        at = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=1)
        scheduler.schedule(at, "reports.run", args=["daily"], interval=DAY_S, id=f"r{number}")
    return perf_counter() - began


def due(count: int) -> float:
    client.zadd(scheduler.scheduled_jobs_key, {f"r{number}": int(time()) - 10 for number in range(count)}, xx=True)
    client.unlink("rq:queue:default")
    return 0


def run(count: int) -> float:
    began = perf_counter()
    scheduler.enqueue_jobs()
    took = perf_counter() - began
    assert client.llen("rq:queue:default") == count
    return took


def tick(count: int) -> float:
    began = perf_counter()
    for _ in range(count):
        scheduler.heartbeat()
        if scheduler.acquire_lock():
            scheduler.enqueue_jobs()
            scheduler.heartbeat()
            scheduler.remove_lock()
    return perf_counter() - began


for line in sys.stdin:
    verb, *numbers = line.split()
    print({"register": register, "due": due, "run": run, "tick": tick}[verb](*map(int, numbers)), flush=True)
