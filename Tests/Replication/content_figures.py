"""One long content beside curl and through breaks, and many contents."""
import os
import subprocess
import time

from proxy import Fault, Proxy
from measuring import measured
from sides import Local, Peer


def put(server, path, id):
    subprocess.run(["curl", "-sf", "-T", path, "-H", "Content-Type: application/octet-stream",
                    f"{server.url}/db/{id}/a", "-o", "/dev/null"], check=True)


def random_file(path, megabytes):
    with open(path, "wb") as file:
        for _ in range(megabytes):
            file.write(os.urandom(1 << 20))


def large(program, root, megabytes=1024, breaks=10):
    """One content: pulled and pushed beside curl, then pulled through breaks."""
    there = Local(program, root + "/there")
    random_file(root + "/content", megabytes)
    size = megabytes << 20
    with there.serve() as server:
        put(server, root + "/content", "large")
        for turn in range(2):
            began = time.monotonic()
            subprocess.run(["curl", "-sf", f"{server.url}/db/large/a", "-o", root + "/fetched"], check=True)
            alone = time.monotonic() - began
            os.unlink(root + "/fetched")
            here = Local(program, f"{root}/pull{turn}")
            pull = measured([program, "replicate", server.url + "/db", here.path])
            Peer(server.url + f"/push{turn}").request("PUT", "")
            push = measured([program, "replicate", here.path, server.url + f"/push{turn}"])
            for name, run in (("pull", pull), ("push", push)):
                print(f"{megabytes} MiB, {name}: {run.seconds:.2f} s beside {alone:.2f} s of curl's fetch: "
                      f"{alone / run.seconds:.2f} of it; {run}", flush=True)
            here.remove()
            Peer(server.url + f"/push{turn}").request("DELETE", "")
        proxy = Proxy(server.port, Fault("cut-answer", size // (breaks + 1), times=breaks))
        here = Local(program, root + "/broken")
        run = measured([program, "replicate", f"http://127.0.0.1:{proxy.port}/db", here.path])
        problem = here.problem()
        crossed = proxy.report()["sent"] / size
        print(f"{megabytes} MiB, {len(proxy.done)} breaks: {crossed:.3f} times its bytes; {run}; {problem}", flush=True)
        proxy.stop()
        server.stop()


def many(program, root, count, megabytes=10):
    there, here = Local(program, root + "/there"), Local(program, root + "/here")
    with there.serve() as server:
        for number in range(count):
            random_file(root + "/content", megabytes)
            put(server, root + "/content", f"doc{number}")
        for direction in ("pull", "push"):
            url = server.url + ("/db" if direction == "pull" else "/pushed")
            if direction == "push":
                Peer(url).request("PUT", "")
                Peer(server.url + "/db").request("DELETE", "")
            run = measured([program, "replicate", *((url, here.path) if direction == "pull" else (here.path, url))])
            print(f"{count} contents of {megabytes} MiB, {direction}: {run}, "
                  f"{count * megabytes / run.seconds:.0f} MiB/s", flush=True)
        server.stop()


def documents(program, root, count):
    """Documents of 300 bytes."""
    there, here = Local(program, root + "/there"), Local(program, root + "/here")
    with open(root + "/lines", "w") as file:
        for number in range(count):
            file.write(f'{{"_id":"doc{number:08}","number":{number},"text":"{"x" * 250}"}}\n')
    subprocess.run([program, "import", there.path, root + "/lines"], check=True, stdout=subprocess.DEVNULL)
    with there.serve() as server:
        for direction in ("pull", "push"):
            url = server.url + ("/db" if direction == "pull" else "/pushed")
            if direction == "push":
                Peer(url).request("PUT", "")
            run = measured([program, "replicate", *((url, here.path) if direction == "pull" else (here.path, url))])
            print(f"{count} documents, {direction}: {run}, {count / run.seconds:.0f} documents/s", flush=True)
        server.stop()
