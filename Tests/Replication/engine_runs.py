"""`settee serve` as the other side, on every ordered pair of engines."""
from sample import Sample
from sides import Local, difference

SEED = 83
STORAGES = ("sqlite", "lmdb")


def run(trials):
    sample = Sample(SEED)
    documents = sample.documents(200)
    more = sample.followers(documents)
    for source_type in STORAGES:
        source = Local(trials.program, trials.folder(), source_type)
        source.fill(documents)
        for target_type in STORAGES:
            for direction in ("pull", "push"):
                one(trials, f"{source_type} to {target_type}, {direction}", source.copy(trials.folder()),
                    Local(trials.program, trials.folder(), target_type), direction, more)


def one(trials, name, source, target, direction, more):
    served = source if direction == "pull" else target
    for documents in ([], more):
        if documents:
            source.fill(documents)
        with served.serve() as server:
            url = server.url + "/db"
            result = trials.run(*((url, target.path) if direction == "pull" else (source.path, url)))
            server.stop()
        trials.check(name, difference(source.dump(), target.dump()) if result.status == 0 else result)
