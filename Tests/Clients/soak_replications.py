"""20 continuous replications of one database at once, within the server and over HTTP, while clients write.

Arguments: the program, the seconds, and the engine (sqlite). It ends with 1 if the databases are not equal at the end, the
server does not end well, or its log has a report of the thread sanitizer, as with soak.py.
"""
import os
import random
import sys
import tempfile
import threading
import time

import requests

from servers import Server

REPLICATIONS = 20
WRITERS = 4


def write(url, names, seed, end):
    rng, session = random.Random(seed), requests.Session()
    while time.monotonic() < end:
        name, key = rng.choice(names), f"d{rng.randrange(200)}"
        known = session.get(f"{url}/{name}/{key}")
        body = {"n": rng.random(), "_deleted": rng.random() < 0.1}
        if known.status_code == 200:
            body["_rev"] = known.json()["_rev"]
        if rng.random() < 0.2:
            body["_attachments"] = {"a": {"data": "aGVsbG8=", "content_type": "text/plain"}}
        session.put(f"{url}/{name}/{key}", json=body)


def leaves(url, name):
    rows = requests.get(f"{url}/{name}/_changes?style=all_docs").json()["results"]
    return {row["id"]: sorted(change["rev"] for change in row["changes"]) for row in rows}


def main(program, seconds, storage="sqlite"):
    folder = tempfile.mkdtemp(prefix="settee-soak-")
    known = os.path.join(os.path.dirname(os.path.abspath(__file__)), "thread-sanitizer.txt")
    os.environ.setdefault("TSAN_OPTIONS", f"halt_on_error=0 suppressions={known}")
    problems = []
    with Server(program, folder + "/databases", storage, ("--log", "all=debug")) as server:
        others = [f"o{number}" for number in range(REPLICATIONS // 2)]
        for name in ["db", *others]:
            assert requests.put(f"{server.url}/{name}").status_code == 201
        for number, name in enumerate(others):
            far = f"{server.url}/{name}" if number % 2 else name
            for source, target in ((far, "db"), ("db", far)):
                order = {"source": source, "target": target, "continuous": True}
                assert requests.post(server.url + "/_replicate", json=order).status_code == 202
        end = time.monotonic() + float(seconds)
        writers = [threading.Thread(target=write, args=(server.url, ["db", *others], seed, end))
                   for seed in range(WRITERS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        last = time.monotonic() + 240
        while time.monotonic() < last:
            states = [leaves(server.url, name) for name in ["db", *others]]
            if all(state == states[0] for state in states):
                break
            time.sleep(2)
        else:
            problems.append("the databases are not equal")
        tasks = len(requests.get(server.url + "/_active_tasks").json())
        print(f"{len(states[0])} documents, {sum(map(len, states[0].values()))} leaves, {tasks} tasks")
        server.process.terminate()
        status = server.process.wait(60)
        if status != 0:
            problems.append(f"the server ended with {status}")
    with open(folder + "/databases.log", errors="replace") as log:
        problems += [line.strip() for line in log if "WARNING: ThreadSanitizer" in line]
    print(folder, *problems[:20], sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
