"""Trials of `settee replicate` against servers of the protocol, through faults, kills and proxies.

    python3 replicate.py PROGRAM [PART ...] [--reference] [--storage sqlite|lmdb] [--many] [--count N] [--kills N]

Parts: dialects, engines, replaced, logins, oauth, openid, tls, orders, poisoned, beside, faults, kills, calls, between;
oauth, openid and tls need packages of PyPI, which run.sh installs, and calls needs strace. With --reference the
replicator of Tests/Clients runs in the place of `settee replicate`: what it does not do (retries, poisoned documents)
fails then. With --many every request
and 200 places in the bytes are tried, with --only "couchdb, pull" those of this dialect and direction. Kills are 20 of
each kind, or --kills, with --count documents.
"""
import argparse
import os
import shutil
import sys
import time
import traceback

from trial import Trials


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--storage", default="sqlite")
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    command = None
    if options.reference:
        here = os.path.dirname(os.path.abspath(__file__))
        command = [sys.executable, os.path.join(here, "reference.py"), program, "replicate"]
    trials = Trials(program, command, options.storage)
    parts = {
        "dialects": lambda: __import__("dialect_runs").run(trials, options.count),
        "engines": lambda: __import__("engine_runs").run(trials),
        "replaced": lambda: __import__("replaced_runs").run(trials),
        "logins": lambda: __import__("login_runs").run(trials),
        "oauth": lambda: __import__("oauth_runs").run(trials),
        "openid": lambda: __import__("openid_runs").run(trials),
        "tls": lambda: __import__("tls_runs").run(trials),
        "orders": lambda: __import__("order_runs").run(trials),
        "poisoned": lambda: __import__("poison_runs").run(trials, options.count),
        "beside": lambda: __import__("beside_runs").run(trials),
        "faults": lambda: __import__("fault_runs").run(trials, options.many, options.only),
        "kills": lambda: __import__("kill_runs").run(trials, options.count,
                                                         options.kills or (200 if options.many else 20)),
        "calls": lambda: __import__("call_kill_runs").run(trials),
        "between": lambda: __import__("between_runs").run(trials),
    }
    for name in options.parts or parts:
        began, failed = time.monotonic(), len(trials.failures)
        try:
            parts[name]()
        except Exception:
            trials.check(name, traceback.format_exc())
        print(f"{name}: {len(trials.failures) - failed} failures in {time.monotonic() - began:.0f} s", flush=True)
    shutil.rmtree(trials.root, ignore_errors=True)
    print(f"{trials.passed} checks passed, {len(trials.failures)} failed")
    for failure in trials.failures:
        print("FAILED", failure)
    return 1 if trials.failures else 0


if __name__ == "__main__":
    sys.exit(main())
