"""By plain commands on the connection's client."""


def sweep(conn, queue, now_ms, mint, batch):
    base = f"emq:{{{queue}}}:"
    done = []
    for name in conn.client.zrangebyscore(base + "repeat", "-inf", now_ms, start=0, num=batch):
        every_ms, template = conn.client.hmget(f"{base}repeat:{name}", "every_ms", "template")
        if template is not None:
            job_id = mint()
            conn.client.hset(f"{base}job:{job_id}", mapping={"state": "pending", "attempts": 0, "payload": template})
            conn.client.zadd(base + "pending", {job_id: 0})
            conn.client.zadd(base + "repeat", {name: now_ms + int(every_ms)})
            done.append(name)
    return len(done)
