"""One of the sides is replaced by an older or another one: the result is right, and no more is checked than must be."""
import os
import shutil
import subprocess

from sample import Sample
from sides import Local
from trial import Pair, load, template

SEED = 61


def run(trials):
    sample = Sample(SEED)
    # Three slices, which make three sessions.
    slices = [sample.documents(120, start) for start in (0, 120, 240)]
    filled = template(trials, slices[0])
    for dialect in ("couchdb", "sync-gateway"):
        for direction in ("pull", "push"):
            for case in (remote_is_new, remote_is_restored, local_is_restored, checkpoints_are_lost, local_is_copied):
                name = f"{dialect}, {direction}, {case.__name__.replace('_', ' ')}"
                pair = Pair(trials, dialect, direction, filled, slices[0])
                first = pair.run()
                if first.status != 0 or pair.difference():
                    trials.check(f"{name}: first run", f"{first} {pair.difference()}")
                else:
                    case(trials, name, pair, slices)
                pair.close()


def add(pair, documents):
    """Writes at the source."""
    if pair.direction == "push":
        pair.local.fill(documents)
    else:
        load(pair.remote, documents)


def again(trials, name, pair, most, equal=True):
    """A run that asks about at most so many documents, after which both sides are equal."""
    pair.server.told.clear()
    pair.server.asked = 0
    result = pair.run()
    trials.check(f"{name}: run", "" if result.status == 0 else result)
    if equal:
        trials.check(f"{name}: equal", pair.difference())
    if pair.direction == "push":
        trials.check(f"{name}: documents checked", "" if pair.server.asked <= most
                     else f"{pair.server.asked}, not {most}")
    else:
        begins = pair.server.told[0]["since"] if pair.server.told else 0
        rows = sum(1 for _ in pair.remote.rows(begins))
        trials.check(f"{name}: documents checked", "" if rows <= most else f"{rows} from {begins}, not {most}")


def remote_is_new(trials, name, pair, slices):
    """Deleted, and made anew at the same address."""
    pair.remote = pair.server.create("db")
    if pair.direction == "pull":
        # What is here stays here; the new ones come.
        load(pair.remote, slices[0] + slices[1])
    again(trials, name, pair, 240)


def remote_is_restored(trials, name, pair, slices):
    """A backup of the state after the first session, after a second one."""
    backup = pair.remote.copied()
    add(pair, slices[1])
    again(trials, f"{name}, second session", pair, 120)
    pair.server.databases["db"] = pair.remote = backup
    if pair.direction == "pull":
        # As many as were lost, under the same sequences, so that a start behind them would miss them.
        load(pair.remote, slices[2])
        again(trials, name, pair, 120, equal=False)
        here, there = pair.local.dump(), pair.remote.dump()
        lacking = [id for id in there if id not in here]
        trials.check(f"{name}: nothing is missed", f"{len(lacking)} are" if lacking else "")
    else:
        again(trials, name, pair, 120)


def local_is_restored(trials, name, pair, slices):
    backup = pair.local.copy(trials.folder())
    add(pair, slices[1])
    again(trials, f"{name}, second session", pair, 120)
    shutil.rmtree(pair.local.folder)
    shutil.copytree(backup.folder, pair.local.folder)
    if pair.direction == "push":
        pair.local.fill(slices[2])
        again(trials, name, pair, 120, equal=False)
        here, there = pair.local.dump(), pair.remote.dump()
        lacking = [id for id in here if id not in there]
        trials.check(f"{name}: nothing is missed", f"{len(lacking)} are" if lacking else "")
    else:
        again(trials, name, pair, 120)


def checkpoints_are_lost(trials, name, pair, slices):
    """Everything is asked about again, and nothing is sent again."""
    pair.remote.locals.clear()
    pair.server.counts.clear()
    again(trials, name, pair, 120)
    moved = sum(row["requests"] for route, row in pair.server.counts.items()
                if route.split()[1] in ("/DB/_bulk_get", "/DB/_bulk_docs", "/DB/DOC", "/DB/DOC/ATT"))
    trials.check(f"{name}: nothing is sent again", f"{moved} requests" if moved else "")


def local_is_copied(trials, name, pair, slices):
    """A copy goes on from the checkpoint of what it was copied from."""
    original = pair.local
    folder = trials.folder()
    os.makedirs(folder)
    subprocess.run([trials.program, "copy", original.path, folder + "/db.settee"], check=True,
                   stdout=subprocess.DEVNULL)
    pair.local = Local(trials.program, folder, trials.storage)
    add(pair, slices[1])
    again(trials, name, pair, 120)
    shutil.rmtree(original.folder)
