"""One document that cannot be passed on among many good ones: the good ones arrive."""
import base64

from poison import READ, WRITE
from sample import Sample
from sides import difference
from trial import Pair, template

SEED = 41
BAD = "m-bad"


def run(trials, count=1000):
    sample = Sample(SEED)
    documents = sample.documents(count)
    bad = sample.revision(BAD, [sample.digest(), sample.digest()], 1)
    data = base64.b64encode(b"content" * 100).decode()
    bad["_attachments"] = {"a.bin": {"content_type": "application/octet-stream", "data": data, "revpos": 2}}
    # In the middle, so that some come before it and some after it.
    documents.insert(len(documents) // 2, bad)
    filled = template(trials, documents)
    for dialect in ("couchdb", "sync-gateway", "bare"):
        for kind in READ:
            poisoned(trials, dialect, "pull", kind, filled, documents)
        for kind in WRITE:
            if not (dialect == "bare" and kind == "missing-stub"):
                poisoned(trials, dialect, "push", kind, filled, documents)


def poisoned(trials, dialect, direction, kind, filled, documents):
    name = f"{dialect}, {kind}"
    pair = Pair(trials, dialect, direction, filled, documents)
    pair.server.poison.kinds[BAD] = kind
    result = pair.run("--json")
    source, target = pair.remote.dump(), pair.local.dump()
    if direction == "push":
        source, target = target, source
    source.pop(BAD)
    arrived = target.pop(BAD, None)
    trials.check(f"{name}: the good ones have arrived", difference(source, target) and
                 f"{difference(source, target)}; {result}")
    if target:
        trials.check(f"{name}: the bad one has not", "" if arrived is None else str(arrived)[:300])
    if kind != "missing":  # A revision that its side does not have any more is nobody's failure.
        trials.check(f"{name}: it is told", "" if BAD in result.output else result)
    trials.check(f"{name}: an end", "" if result.status in (0, 1) else result)
    # It is done with: the next run does not begin before it.
    done, last = pair.start_sequence(), pair.remote.sequence
    if direction == "push":
        last = max(pair.local.sequences().values())
    trials.check(f"{name}: the checkpoint is behind it", "" if done == last else f"at {done} of {last}")
    requests = sum(row["requests"] for row in pair.server.counts.values())
    print(f"{name}: {direction} in {result.seconds:.1f} s, {requests} requests, status {result.status}", flush=True)
    pair.close()
