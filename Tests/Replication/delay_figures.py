"""How long a write takes to the other side of a continuous run, and what such a run costs while nothing is written."""
import json
import statistics
import subprocess
import threading
import time

from measuring import cpu, memory
from proxy import Proxy
from sides import Local, Peer


class Feed:
    """Notes when changes come to a database."""

    def __init__(self, server):
        self.seen, self.changed = {}, threading.Condition()
        url = f"{server.url}/db/_changes?feed=continuous&since=now&heartbeat=30000"
        self.process = subprocess.Popen(["curl", "-sN", url], stdout=subprocess.PIPE)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if line.strip():
                now = time.monotonic()
                with self.changed:
                    self.seen[json.loads(line)["id"]] = now
                    self.changed.notify_all()

    def wait(self, id, seconds=10):
        with self.changed:
            if not self.changed.wait_for(lambda: id in self.seen, seconds):
                raise RuntimeError(f"{id} does not come")
            return self.seen[id]


def delays(program, root, count):
    """How long a write takes where the replicator is in the process that writes."""
    here, there = Local(program, root + "/here"), Local(program, root + "/there")
    with here.serve() as ours, there.serve() as theirs:
        url = theirs.url + "/db"
        for name, ends in {"push": ("db", url), "pull": (url, "db")}.items():
            order = {"source": ends[0], "target": ends[1], "continuous": True}
            Peer(ours.url).json("POST", "/_replicate", order, expected=(200, 202))
        time.sleep(3)
        for name, source, target in (("push", ours, theirs), ("pull", theirs, ours)):
            tell_delay(name, source, target, count)
        ours.stop()
        theirs.stop()


def tell_delay(name, source, target, count):
    feed, peer = Feed(target), Peer(source.url + "/db")
    time.sleep(1)
    took = []
    for number in range(count):
        id = f"{name.split(',')[0]}{number}"
        began = time.monotonic()
        peer.request("PUT", "/" + id, {"number": number})
        took.append((feed.wait(id) - began) * 1000)
        time.sleep(0.05)
    took.sort()
    feed.process.kill()
    print(f"{name}: {count} writes, told by the other side after {statistics.median(took):.1f} ms (median), "
          f"{took[int(count * 0.99)]:.1f} (99 %), {took[-1]:.1f} (most); the write's own time is in it", flush=True)


def idle(program, root, count, seconds):
    """A push and a pull beside each other, of a database that another process serves."""
    here, there = Local(program, root + "/here"), Local(program, root + "/there")
    with here.serve() as ours, there.serve() as theirs:
        proxy = Proxy(theirs.port)
        url = f"http://127.0.0.1:{proxy.port}/db"
        runs = {"push": [here.path, url], "pull": [url, here.path]}
        processes = {name: subprocess.Popen([program, "replicate", *ends, "--continuous"], stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL) for name, ends in runs.items()}
        time.sleep(3)
        for name, source, target in (("push", ours, theirs), ("pull", theirs, ours)):
            tell_delay(f"{name}, from process to process", source, target, count)
        time.sleep(10)
        everybody = {**processes, "server behind the proxy": theirs.process, "server here": ours.process}
        before, requests = {name: cpu(each) for name, each in everybody.items()}, proxy.requests
        proxy.routes, began = {}, time.monotonic()
        time.sleep(seconds)
        passed = time.monotonic() - began
        for name, each in everybody.items():
            print(f"idle, {name}: {100 * (cpu(each) - before[name]) / passed:.3f} % of a core in {passed:.0f} s, "
                  f"{memory(each):.0f} MB", flush=True)
        print(f"idle: {(proxy.requests - requests) * 60 / passed:.1f} requests a minute of both, {proxy.routes}",
              flush=True)
        for process in processes.values():
            process.terminate()
            process.wait(30)
        proxy.stop()
        ours.stop()
        theirs.stop()
