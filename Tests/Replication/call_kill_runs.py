"""SIGKILL at each system call of a small run that changes a file or sends, of the program and of the server.

strace counts calls of a name in each thread: a call is the nth of its name, and the first thread that comes to its nth
is killed there, with its process. Numbers differ a little from run to run, so that a call may not be reached.
"""
import collections
import concurrent.futures
import os
import shutil
import subprocess
import time

from sample import Sample
from sides import difference
from trial import Local, Pair, kill, template

SEED = 31
CALLS = ("write writev sendto sendmsg pwrite64 pwritev pwritev2 fsync fdatasync msync sync_file_range ftruncate "
         "fallocate rename renameat renameat2 unlink unlinkat link linkat mkdir mkdirat rmdir").split()
TRACED = "trace=" + ",".join("?" + name for name in CALLS)


def run(trials, count=60):
    if not shutil.which("strace"):
        raise RuntimeError("strace is missing: apt-get install strace")
    documents = Sample(SEED, contents=(100, 5_000)).documents(count)
    filled = template(trials, documents)
    for direction in ("pull", "push"):
        for kind, one, workers in ((Program, of_program, 2), (Server, of_server, 4)):
            calls = kind(trials, direction, filled, documents).calls()
            with concurrent.futures.ThreadPoolExecutor(workers) as pool:
                jobs = [pool.submit(one, trials, direction, filled, documents, call) for call in calls]
                reached = sum(job.result() for job in jobs)
            print(f"calls, {direction}: {kind.name} was killed at {reached} of {len(calls)} calls", flush=True)
            trials.check(f"calls, {direction}, {kind.name}: most are reached",
                         "" if reached > len(calls) * 0.6 else f"{reached} of {len(calls)}")


def strace(log, call=None):
    command = ["strace", "-f", "-o", log]
    if call is None:
        return [*command, "-e", TRACED]
    name, number = call
    return [*command, "-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}"]


def counts(log):
    """How often each call was made by the thread that made it most often."""
    found = collections.Counter()
    with open(log, errors="replace") as lines:
        for line in lines:
            thread, _, text = line.partition(" ")
            text = text.lstrip()
            if "(" in text and not text.startswith(("<", "+", "-")):
                found[thread, text.partition("(")[0]] += 1
    most = collections.Counter()
    for (_, name), count in found.items():
        most[name] = max(most[name], count)
    return most


class Program:
    name = "the program"

    def __init__(self, trials, direction, filled, documents):
        self.trials, self.pair = trials, Pair(trials, "couchdb", direction, filled, documents)

    def calls(self):
        """Those of a run that nothing disturbs."""
        log = self.trials.folder() + ".calls"
        result = self.trials.wait(self.trials.start(*self.pair.ends(), before=strace(log)))
        problem = result if result.status != 0 else self.pair.difference()
        self.trials.check(f"calls, {self.pair.direction}: nothing is killed", problem)
        self.pair.close()
        return [(name, number) for name, most in sorted(counts(log).items()) for number in range(1, most + 1)]


def of_program(trials, direction, filled, documents, call):
    """Returns whether the program was killed."""
    name = f"calls, {direction}, the program at {call[0]} {call[1]}"
    pair = Pair(trials, "couchdb", direction, filled, documents)
    process = trials.start(*pair.ends(), before=strace(os.devnull, call))
    killed = trials.wait(process)
    if killed.status not in (0, -9, 137):
        trials.check(name, killed)
        pair.close()
        return False
    problem, begins = pair.ahead(), pair.start_sequence()
    pair.server.told.clear()
    last = pair.run()
    since = pair.server.told[0]["since"] if pair.server.told else begins
    if last.status != 0:
        problem = problem or last
    elif direction == "pull" and since < begins:
        problem = problem or f"the next run begins at {since}, not at {begins}"
    trials.check(name, problem or pair.difference() or pair.local.problem())
    pair.close()
    return killed.status != 0


class Server:
    """A run against `settee serve`, which strace follows."""
    name = "the server"

    def __init__(self, trials, direction, filled, documents):
        self.trials, self.direction = trials, direction
        full, empty = filled.copy(trials.folder()), Local(trials.program, trials.folder(), trials.storage)
        self.here, self.there = (full, empty) if direction == "push" else (empty, full)

    def start(self, before):
        self.server = self.there.serve(before=before)
        url = self.server.url + "/db"
        return (self.here.path, url) if self.direction == "push" else (url, self.here.path)

    def stop(self):
        """Ends the server itself: strace would leave it alone."""
        process = self.server.process
        if process.poll() is None:
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
                for child in children.read().split():
                    subprocess.run(["kill", "-9", child], check=False)
        process.wait(30)

    def calls(self):
        log = self.trials.folder() + ".calls"
        ends = self.start(strace(log))
        before = counts(log)
        result = self.trials.run(*ends)
        self.stop()
        self.trials.check(f"calls, {self.direction}: nothing is killed at the server",
                          "" if result.status == 0 else result)
        self.remove()
        return [(name, number) for name, most in sorted(counts(log).items())
                for number in range(before[name] + 1, most + 1)]

    def remove(self):
        for side in (self.here, self.there):
            shutil.rmtree(side.folder, ignore_errors=True)


def of_server(trials, direction, filled, documents, call):
    """Returns whether the server was killed."""
    name = f"calls, {direction}, the server at {call[0]} {call[1]}"
    sides = Server(trials, direction, filled, documents)
    try:
        ends = sides.start(strace(os.devnull, call))
    except OSError:
        # It has come to that call before anybody asked.
        sides.remove()
        return False
    process = trials.start(*ends)
    while process.poll() is None and sides.server.process.poll() is None:
        time.sleep(0.01)
    was_killed = sides.server.process.poll() is not None
    if not was_killed:
        sides.stop()
    sides.server.start(before=())
    result = trials.wait(process)
    for _ in range(2):
        if result.status == 0:
            break
        result = trials.run(*ends)
    sides.server.stop()
    trials.check(name, (difference(sides.here.dump(), sides.there.dump()) or sides.here.problem()
                        or sides.there.problem()) if result.status == 0 else result)
    sides.remove()
    return was_killed
