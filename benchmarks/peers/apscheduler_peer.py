"""APScheduler 3 with its RedisJobStore: `python apscheduler_peer.py SOCKET`, a line in, a number out.

    register FIRST COUNT   `add_job` with an interval of a day, due in a day       seconds
    due COUNT              not timed: the first COUNT fall due
    run COUNT              `_process_jobs`, as its thread calls it                 seconds
    tick COUNT             so many of those with nothing due                       seconds

Its executor takes a job and does nothing, so nothing is queued: APScheduler runs its jobs in its own process.
"""

import sys
from datetime import UTC, datetime, timedelta
from time import perf_counter

from apscheduler.executors.base import BaseExecutor
from apscheduler.jobstores.redis import RedisJobStore
from apscheduler.schedulers.base import BaseScheduler


class Stepped(BaseScheduler):
    """A scheduler without a thread of its own."""

    def wakeup(self) -> None:
        pass

    def shutdown(self, wait: bool = True) -> None:
        pass


class Idle(BaseExecutor):
    """Takes a job and does nothing."""

    taken = 0

    def submit_job(self, job, run_times) -> None:
        self.taken += 1

    def _do_submit_job(self, job, run_times) -> None:
        pass


store = RedisJobStore(unix_socket_path=sys.argv[1], single_connection_client=True)
executor = Idle()
scheduler = Stepped(jobstores={"default": store}, executors={"default": executor}, timezone=UTC)
scheduler.start()


def register(first: int, count: int) -> float:
    began = perf_counter()
    for number in range(first, first + count):
        # A name and not a function: nothing is imported until the job runs, which it never does.
        scheduler.add_job("time:sleep", "interval", days=1, args=["daily"], id=f"r{number}", coalesce=True)
    return perf_counter() - began


def due(count: int) -> float:
    at = datetime.now(UTC) - timedelta(seconds=10)
    for number in range(count):
        job = store.lookup_job(f"r{number}")
        job._modify(next_run_time=at)
        store.update_job(job)
    executor.taken = 0
    return 0


def run(count: int) -> float:
    began = perf_counter()
    scheduler._process_jobs()
    took = perf_counter() - began
    assert executor.taken == count
    return took


def tick(count: int) -> float:
    began = perf_counter()
    for _ in range(count):
        scheduler._process_jobs()
    return perf_counter() - began


for line in sys.stdin:
    verb, *numbers = line.split()
    print({"register": register, "due": due, "run": run, "tick": tick}[verb](*map(int, numbers)), flush=True)
