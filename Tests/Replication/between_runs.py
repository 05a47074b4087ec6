"""nginx and haproxy in between, with idle timeouts of 10 s and bodies of at most 1 MiB."""
import os
import random
import shutil
import signal
import socket
import subprocess
import time

from sample import Sample
from trial import Pair, template

SEED = 53

NGINX = """
{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  keepalive_timeout 10s; client_body_timeout 10s; client_header_timeout 10s; send_timeout 10s;
  client_max_body_size 1m;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{target}; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering {buffering}; proxy_set_header Host $host; proxy_read_timeout 10s; proxy_send_timeout 10s;
    }}
  }}
}}
"""

HAPROXY = """
global
  maxconn 500
defaults
  mode http
  timeout connect 5s
  timeout client 10s
  timeout server 10s
  timeout http-keep-alive 10s
frontend all
  bind 127.0.0.1:{port}
  acl large req.hdr_val(content-length) gt 1048576
  http-request return status 413 content-type application/json string "{{}}" if large
  default_backend peer
backend peer
  server one 127.0.0.1:{target}
"""


class Between:
    """A running nginx or haproxy."""

    def __init__(self, kind, target, folder):
        os.makedirs(folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        program = kind.partition(" ")[0]
        text = {"nginx": NGINX, "haproxy": HAPROXY}[program].format(
            port=self.port, target=target, folder=folder, buffering="off" if "unbuffered" in kind else "on",
            # Else its workers are somebody who may not write in the folder.
            user="user root;" if os.getuid() == 0 else "")
        path = os.path.join(folder, "configuration")
        with open(path, "w") as file:
            file.write(text)
        options = {"nginx": ["-e", folder + "/error.log", "-c", path], "haproxy": ["-q", "-f", path]}[program]
        # Debian's are not in everybody's path.
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.process = subprocess.Popen([program, *options], env=environment, stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"{kind} does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def run(trials):
    documents = Sample(SEED, contents=(100, 20_000, 300_000)).documents(300)
    filled = template(trials, documents)
    for kind in ("nginx", "nginx unbuffered", "haproxy"):
        if shutil.which(kind.partition(" ")[0], path=os.environ["PATH"] + ":/usr/sbin") is None:
            trials.check(kind, "not installed")
            continue
        for direction in ("pull", "push"):
            one_shot(trials, kind, direction, filled, documents)
        continuous(trials, kind, documents)


def behind(trials, kind, pair):
    between = Between(kind, pair.server.port, trials.folder())
    pair.proxy = between
    return between


def one_shot(trials, kind, direction, filled, documents):
    pair = Pair(trials, "couchdb", direction, filled, documents)
    behind(trials, kind, pair)
    result = pair.run()
    trials.check(f"{kind}, {direction}: run", "" if result.status == 0 else result)
    trials.check(f"{kind}, {direction}: equal", pair.difference())
    print(f"{kind}, {direction}: {result.seconds:.1f} s", flush=True)
    pair.close()


def continuous(trials, kind, documents):
    """A feed that the proxy cuts each 10 s, since less often than that is a sign of life."""
    name = f"{kind}, continuous"
    pair = Pair(trials, "couchdb", "pull", None, documents)
    behind(trials, kind, pair)
    process = trials.start(*pair.ends(), "--continuous")
    chosen, number = random.Random(SEED), 0
    for wait in (3, 14, 13):
        time.sleep(wait + chosen.random())
        number += 1
        pair.remote.edit(f"later{number}", {"number": number}, None)
    time.sleep(4)
    problem = f"it has ended with {process.returncode}" if process.poll() is not None else ""
    process.send_signal(signal.SIGINT)
    result = trials.wait(process, 30)
    counts = {route: row["requests"] for route, row in pair.server.counts.items()}
    trials.check(name, problem and f"{problem}; {result}")
    trials.check(f"{name}: equal", pair.difference())
    trials.check(f"{name}: an interrupt is an end", "" if result.status in (0, 130, -2) else result)
    trials.check(f"{name}: checkpoint", pair.ahead() or ("" if pair.start_sequence() == pair.remote.sequence
                                                          else f"at {pair.start_sequence()} of {pair.remote.sequence}"))
    trials.check(f"{name}: no storm", "" if sum(counts.values()) < 80 else counts)
    print(f"{name}: {sum(counts.values())} requests in 35 s", flush=True)
    pair.close()
