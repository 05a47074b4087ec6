"""A continuous run while others write at the source."""
import random
import signal
import time

from sample import Sample
from sides import Peer
from trial import Pair, template

from replication import edit

SEED = 97


def run(trials, edits=300):
    documents = Sample(SEED).documents(100)
    filled = template(trials, documents)
    for dialect in ("couchdb", "bare"):
        for direction in ("pull", "push"):
            one(trials, f"beside, {dialect}, {direction}", Pair(trials, dialect, direction, filled, documents), edits)


def one(trials, name, pair, edits):
    random.seed(SEED)
    served = pair.local.serve() if pair.direction == "push" else None
    process = trials.start(*pair.ends(), "--continuous")
    writer = Peer(served.url + "/db" if served else pair.server.url("db"))
    for turn in range(edits):
        # What is gzipped on one side is not on the other where it came as base64, so nothing is.
        edit(writer, turn, False)
    pair.local.known = None
    end = time.monotonic() + 60
    while (problem := pair.difference()) and time.monotonic() < end and process.poll() is None:
        time.sleep(0.5)
    ended = process.poll()
    process.send_signal(signal.SIGINT)
    result = trials.wait(process, 30)
    trials.check(f"{name}: equal", problem and f"{problem}; {result}")
    trials.check(f"{name}: runs until it is interrupted", "" if ended is None else result)
    trials.check(f"{name}: an interrupt is an end", "" if result.status == 0 else result)
    if served:
        served.stop()
    requests = sum(row["requests"] for row in pair.server.counts.values())
    print(f"{name}: {edits} edits, {requests} requests", flush=True)
    pair.close()
