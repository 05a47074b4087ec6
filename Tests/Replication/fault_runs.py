"""The fault matrix: one fault at a request or a byte of a small run, and what is true after it."""
import concurrent.futures
import random

from proxy import Fault
from sample import Sample
from trial import Pair, template

SEED = 11
# They take as long as the program waits in silence.
SLOW = ["half-open", "stall"]
# What may come beside the bytes of a clean run: questions that are asked again are small, and runs are small, too.
SLACK = 6_000


def run(trials, many=False, only=""):
    sample = Sample(SEED, contents=(100, 5_000, 20_000))
    documents = sample.documents(60)
    filled = template(trials, documents)
    # Runs that wait take no time of a processor.
    with concurrent.futures.ThreadPoolExecutor(3) as pool, concurrent.futures.ThreadPoolExecutor(24) as waiting:
        for dialect in ("couchdb", "sync-gateway", "bare"):
            for direction in ("pull", "push"):
                if only not in f"{dialect}, {direction}":
                    continue
                clean = clean_run(trials, dialect, direction, filled, documents)
                if clean is None:
                    continue
                faults = list(matrix(clean, many or dialect == "couchdb", many))
                jobs = [(waiting if fault.kind in SLOW else pool).submit(
                            one, trials, dialect, direction, filled, documents, fault, clean) for fault in faults]
                requests, share, runs = map(max, zip(*[job.result() for job in jobs]))
                print(f"{dialect}, {direction}: {len(faults)} faults, {clean['requests']} requests and "
                      f"{clean['sent'] + clean['received']} bytes without; at most {requests} requests, {share:.2f} "
                      f"times the bytes, {runs} runs", flush=True)


def clean_run(trials, dialect, direction, filled, documents):
    """Requests and bytes without a fault."""
    pair = Pair(trials, dialect, direction, filled, documents)
    proxy = pair.through()
    result = pair.run()
    problem = result if result.status != 0 else pair.difference()
    trials.check(f"{dialect}, {direction}, no fault", problem)
    report = proxy.report()
    pair.close()
    return None if problem else report


def largest(clean):
    """The bytes of the largest request with its answer."""
    return max((received + sent) / count for count, received, sent in clean["routes"].values())


def matrix(clean, every, many):
    """The faults. Without `every` a third of them; without `many` bytes in 24 steps, and few that are slow."""
    requests = range(1, clean["requests"] + 1)
    chosen = random.Random(SEED)
    for kind in ("cut-before", "cut-after", "html", "truncated"):
        for at in requests:
            if every or chosen.random() < 0.34:
                yield Fault(kind, at)
    for at in requests:
        if every or chosen.random() < 0.34:
            yield Fault("status", at, status=503, retry_after=1)
            yield Fault("status", at, status=429, retry_after=1)
            yield Fault("status", at, status=413)
            yield Fault("status", at, times=3, status=503)
    for at in requests if many else chosen.sample(list(requests), 2) if every else []:
        for kind in SLOW:
            yield Fault(kind, at)
    steps = 200 if many else 24 if every else 8
    for kind, total in (("cut-answer", clean["sent"]), ("cut-request", clean["received"])):
        for step in range(steps):
            yield Fault(kind, total * step // steps + chosen.randrange(max(1, total // steps)))
    yield Fault("delay", seconds=0.3)
    yield Fault("too-large", limit=100_000)


def one(trials, dialect, direction, filled, documents, fault, clean):
    name = f"{dialect}, {direction}, {fault.kind} at {fault.at}" + (f" {fault.status}x{fault.times}"
                                                                     if fault.kind == "status" else "")
    pair = Pair(trials, dialect, direction, filled, documents)
    proxy = pair.through(fault)
    runs, problem = 0, None
    while runs < 3:
        runs += 1
        result = pair.run(seconds=300)
        if result.status == 0:
            break
        problem = problem or pair.ahead()
    if result.status != 0:
        problem = problem or f"three runs have failed: {result}"
    problem = problem or pair.difference() or pair.ahead()
    report = proxy.report()
    moved = report["sent"] + report["received"]
    usual = clean["sent"] + clean["received"]
    # Halves of what was too large, and their halves, are requests of their own.
    most = clean["requests"] * (4 if fault.status == 413 or fault.kind == "too-large" else 2) + 30
    # What is refused or lost as a whole crosses again; in a small run that may be nearly all of it.
    again = 0 if (direction, fault.kind) == ("pull", "cut-answer") else fault.times * largest(clean)
    if not problem and moved > 1.3 * usual + SLACK + again and fault.kind != "too-large":
        problem = f"{moved} bytes in the place of {usual}, {runs} runs, {report['routes']} {report['done']}"
    if not problem and report["requests"] > most:
        problem = f"{report['requests']} requests in the place of {clean['requests']}, {report['routes']}"
    trials.check(name, problem)
    pair.close()
    return report["requests"], moved / usual, runs
