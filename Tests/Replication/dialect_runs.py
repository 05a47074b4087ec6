"""Pull and push of many documents in each dialect."""
from sample import Sample
from sides import difference
from trial import Pair, load, template

SEED = 7


def run(trials, count=1000, dialects=("couchdb", "sync-gateway", "bare")):
    sample = Sample(SEED)
    documents = sample.documents(count)
    more = sample.followers(documents)
    filled = template(trials, documents)
    for dialect in dialects:
        for direction in ("pull", "push"):
            both_rounds(trials, dialect, direction, filled, documents, more)
    read_only(trials, documents)
    if "sync-gateway" in dialects:
        channels(trials, documents)
    if "couchdb" in dialects:
        chosen(trials, documents)


def both_rounds(trials, dialect, direction, filled, documents, more):
    name = f"{dialect}, {direction}"
    pair = Pair(trials, dialect, direction, filled, documents)
    first = pair.run()
    trials.check(f"{name}: first run", "" if first.status == 0 else first)
    if first.status != 0:
        # Nothing else would be told by what follows.
        return pair.close()
    trials.check(f"{name}: equal", pair.difference())
    counts = requests(pair)
    trials.check(f"{name}: checkpoint", pair.ahead())
    done = pair.start_sequence()
    # Sequences of before the restart are told again.
    pair.server.restart()
    if direction == "push":
        pair.local.fill(more)
        # The server lacks what it should have of some documents.
        with_stubs = [document["_id"] for document in more if any(
            "stub" in entry for entry in document.get("_attachments", {}).values())]
        pair.server.poison.kinds.update(dict.fromkeys(with_stubs[:3], "no-stubs"))
    else:
        load(pair.remote, more)
    pair.server.told.clear()
    second = pair.run()
    trials.check(f"{name}: second run", "" if second.status == 0 else second)
    trials.check(f"{name}: equal after the second run", pair.difference())
    if direction == "pull":
        begins = pair.server.told[0]["since"] if pair.server.told else None
        least = max(0, done - 10) if dialect == "couchdb" else done
        trials.check(f"{name}: second run begins at the checkpoint",
                     "" if begins is not None and begins >= least > 0 else f"at {begins}, not at {done}")
    again = requests(pair)
    third = pair.run()
    nothing = requests(pair)
    trials.check(f"{name}: third run", "" if third.status == 0 else third)
    trials.check(f"{name}: requests with nothing to do",
                 "" if sum(nothing.values()) <= 4 else f"{sum(nothing.values())}, {nothing}")
    print(f"{name}: {len(documents)} revisions in {first.seconds:.1f} s and {sum(counts.values())} requests, "
          f"{len(more)} more in {second.seconds:.1f} s and {sum(again.values())}, none in {third.seconds:.1f} s and "
          f"{sum(nothing.values())}", flush=True)
    pair.close()


def requests(pair):
    """Requests by route since the last call."""
    counts = {route: row["requests"] for route, row in pair.server.counts.items()}
    pair.server.counts.clear()
    return counts


def read_only(trials, documents):
    """A server that takes no checkpoint: the one here counts."""
    for dialect in ("couchdb", "bare"):
        pair = Pair(trials, dialect, "pull", None, documents, read_only=True)
        first = pair.run()
        trials.check(f"{dialect}, read-only: first run", "" if first.status == 0 else first)
        trials.check(f"{dialect}, read-only: equal", pair.difference())
        pair.server.told.clear()
        pair.run()
        begins = pair.server.told[0]["since"] if pair.server.told else None
        trials.check(f"{dialect}, read-only: second run begins at the checkpoint",
                     "" if begins == pair.remote.sequence else f"at {begins}, not at {pair.remote.sequence}")
        pair.close()


def channels(trials, documents):
    """Documents of a channel, and those that leave it."""
    pair = Pair(trials, "sync-gateway", "pull", None, documents)
    run = pair.run("--channels", "even")
    trials.check("channels: run", "" if run.status == 0 else run)
    wanted = {id: document for id, document in pair.remote.dump().items()
              if "even" in document["leaves"][document["winner"]]["body"].get("channels", [])}
    trials.check("channels: equal", difference(pair.local.dump(), wanted))
    id = next(id for id, document in wanted.items() if len(document["leaves"]) == 1)
    pair.remote.edit(id, {"channels": ["odd"], "secret": True}, wanted[id]["winner"])
    run = pair.run("--channels", "even")
    trials.check("channels: run after a document has left", "" if run.status == 0 else run)
    found = pair.local.dump().get(id)
    trials.check("channels: what has left is not read", "it never came" if found is None
                 else "its body is here" if "secret" in str(found) else "")
    pair.close()


def chosen(trials, documents):
    """Document IDs and selectors."""
    ids = ["c/d", "é%2F?", "doc000020"]
    for name, options, wanted in [
        ("doc-ids", [word for id in ids for word in ("--doc-ids", id)], lambda id, body: id in ids),
        ("selector", ["--selector", '{"n":{"$lt":30}}'], lambda id, body: body.get("n", 30) < 30),
    ]:
        pair = Pair(trials, "couchdb", "pull", None, documents)
        run = pair.run(*options)
        trials.check(f"{name}: run", "" if run.status == 0 else run)
        all = pair.remote.dump()
        expected = {id: each for id, each in all.items() if wanted(id, each["leaves"][each["winner"]]["body"])}
        trials.check(f"{name}: equal", difference(pair.local.dump(), expected))
        pair.close()
