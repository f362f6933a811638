"""What is due is filtered first, then released, and the length is the answer."""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    sound = [each for each in repeat.due(conn, queue, batch) if None not in each]
    for each in sound:
        jobs.enqueue(conn, queue, job_id=mint(), payload=each.template)
        repeat.advance(conn, queue, each.name, int(each.every_ms))
    return len(sound)
