"""The own tests of the clients CouchDB and aiocouch against `settee serve`.

Arguments: the program, and the folder of aiocouch's source. Tests that fail must be in known-failures.txt.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from servers import Server


def failures(command, pattern, **options):
    """The names of the tests that fail."""
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    print(run.stdout.strip().splitlines()[-1])
    return {match.group(1) for match in re.finditer(pattern, run.stdout, re.MULTILINE)}


def main(program, aiocouch):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known-failures.txt")) as file:
        known = {line.split()[0] for line in file if line.strip() and not line.startswith("#")}
    folder = tempfile.mkdtemp(prefix="settee-suites-")
    with Server(program, folder + "/databases") as server:
        environment = {**os.environ, "COUCHDB_URL": server.url + "/", "COUCHDB_HOST": server.url}
        found = {"couchdb." + name for name in failures(
            [sys.executable, "-m", "couchdb.tests"], r"^(?:FAIL|ERROR): (\w+) \(", env=environment)}
        found |= {"aiocouch." + name for name in failures(
            [sys.executable, "-m", "pytest", "-q", "--tb=no", "-rfE", "tests"], r"^(?:FAILED|ERROR) \S+::(\w+)",
            env=environment, cwd=aiocouch)}
    shutil.rmtree(folder)
    for name in sorted(known - found):
        print("passes now:", name)
    for name in sorted(found - known):
        print("FAILS:", name)
    sys.exit(1 if found - known else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
