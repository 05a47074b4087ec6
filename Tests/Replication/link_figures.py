"""Pull and push over a line with delay and loss, beside curl with the same bytes on one connection."""
import os
import subprocess
import time

from link import ENDS, Link
from sides import Local

PORT = 5999


def run(program, root, people, count, control, delay=0.05, loss=0.02):
    source = Local(program, root + "/source")
    with open(root + "/people", "wb") as file:
        subprocess.run([people, "--docs", str(count), "--ids", "ordered"], stdout=file, check=True)
    subprocess.run([program, "import", source.path, root + "/people"], check=True, stdout=subprocess.DEVNULL)
    there, here = Local(program, root + "/there"), Local(program, root + "/here")
    os.rename(source.path, root + "/there/source.settee")
    source.path = root + "/there/source.settee"
    link = Link(delay, loss, control)
    url = f"http://{ENDS[0]}:{PORT}"
    server = subprocess.Popen(link.on(0, [program, "serve", there.folder, "--host", ENDS[0], "--port", str(PORT),
                                          "--allow-anyone"]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while subprocess.run(link.on(1, ["curl", "-sf", "-m", "5", "-o", "/dev/null", url])).returncode != 0:
            time.sleep(0.2)
        print(f"{count} documents, {2000 * delay:.0f} ms there and back, {100 * loss:g} % lost each way, {control}",
              flush=True)
        for name, ends, sender in (("pull", [url + "/source", here.path], 0), ("push", [here.path, url + "/db"], 1)):
            took, bytes = timed(link, sender, [program, "replicate", *ends])
            alone, others = curl(link, root, url, name, bytes)
            print(f"{name}: {took:.1f} s, {count / took:.0f} documents/s, {bytes / 1e6:.1f} MB on the line; curl "
                  f"{alone:.1f} s for {others / 1e6:.1f} MB: {alone / others * bytes / took:.2f} of it", flush=True)
        assert same(program, source.path, there.path), "they differ"
    finally:
        server.kill()
        server.wait()
        link.stop()


def timed(link, sender, command):
    """Seconds, and the bytes that the sender has sent meanwhile."""
    before, began = link.moved()[sender], time.monotonic()
    subprocess.run(link.on(1, command), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.monotonic() - began, link.moved()[sender] - before


def curl(link, root, url, name, bytes):
    """As many bytes as content of an attachment, on one connection."""
    path = root + "/content"
    with open(path, "wb") as file:
        file.write(os.urandom(bytes))
    put = ["curl", "-sf", "-T", path, "-H", "Content-Type: a/b", "-o", "/dev/null"]
    if name == "push":
        return timed(link, 1, [*put, f"{url}/db/curl/a"])
    subprocess.run(link.on(0, [*put, f"{url}/db/content/a"]), check=True)
    return timed(link, 0, ["curl", "-sf", f"{url}/db/content/a", "-o", root + "/fetched"])


def same(program, one, other):
    def revisions(path):
        lines = subprocess.run([program, "changes", path, "--json"], check=True, stdout=subprocess.PIPE).stdout
        return len(lines.splitlines())
    # Two documents of curl's are in one of them.
    return revisions(one) == revisions(other) - 2
