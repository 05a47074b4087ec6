"""`replicate` as the trials call it, by the replicator of Tests/Clients: what checks the trials themselves.

Arguments: the program, `replicate`, source and target; one is a folder of a database, the other a URL. It retries
nothing, so that a fault ends it with 1.
"""
import http.client
import os
import sys

from selfcheck import DialectPeer
from sides import Settee

import replicator


def main(program, _, source, target, *options):
    place = source if "://" not in source else target
    serving = Settee(program, os.path.dirname(place))
    try:
        peers = []
        for side in (source, target):
            if "://" in side:
                dialect = "sync-gateway" if side.endswith("/") else os.environ.get("DIALECT", "couchdb")
                peers.append(DialectPeer(side.rstrip("/"), dialect))
            else:
                name = os.path.basename(side).removesuffix(".settee")
                peers.append(DialectPeer(f"{serving.url}/{name}"))
                # Its port changes from run to run, and is no part of a checkpoint's ID.
                peers[-1].url = side
        replicator.replicate(*peers, 20)
        return 0
    except (OSError, http.client.HTTPException, replicator.Failure, AssertionError, ValueError, KeyError) as error:
        print(type(error).__name__, error, file=sys.stderr)
        return 1
    finally:
        if serving.process.poll() is None:
            serving.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
