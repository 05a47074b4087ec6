"""SIGKILL at random, of the program and of the server it talks to: the next run begins at the checkpoint."""
import random
import time

from sample import Sample
from sides import difference
from trial import Local, Pair, kill, template

SEED = 23


def run(trials, count=1000, kills=20):
    documents = Sample(SEED, contents=(100, 5_000)).documents(count)
    filled = template(trials, documents)
    for direction in ("pull", "push"):
        of_program(trials, direction, filled, documents, kills)
        of_server(trials, direction, filled, max(2, kills // 4))


def of_program(trials, direction, filled, documents, kills):
    chosen = random.Random(SEED)
    pair = Pair(trials, "couchdb", direction, filled, documents)
    whole = pair.run()
    trials.check(f"kills, {direction}: a run without", "" if whole.status == 0 else whole)
    pair.close()
    done = later = 0
    while done < kills:
        name = f"kills, {direction}, {done}"
        pair = Pair(trials, "couchdb", direction, filled, documents)
        begins = 0
        while True:
            pair.server.told.clear()
            pair.server.counts.clear()
            process = trials.start(*pair.ends())
            try:
                process.wait(chosen.uniform(0.02, whole.seconds * 1.1))
            except Exception:
                kill(process)
                done += 1
            result = trials.wait(process)
            started_at = pair.server.told[0]["since"] if pair.server.told else None
            if direction == "pull" and started_at is not None and started_at < begins:
                trials.check(f"{name}: begins at the checkpoint", f"at {started_at}, not at {begins}")
            problem = pair.ahead()
            if problem or result.status not in (0, -9, 137):
                trials.check(name, problem or result)
                break
            begins = pair.start_sequence()
            later += begins > 0 and result.status != 0
            if result.status == 0 or done >= kills:
                break
        last = pair.run()
        trials.check(f"{name}: the last run",
                     (pair.difference() or pair.local.problem()) if last.status == 0 else last)
        pair.close()
    print(f"kills, {direction}: {done} in runs of {whole.seconds:.1f} s, {later} after a checkpoint", flush=True)


def of_server(trials, direction, filled, kills):
    """The server is `settee serve`, which is killed and started again beside the run."""
    chosen = random.Random(SEED + 1)
    for number in range(kills):
        full, empty = filled.copy(trials.folder()), Local(trials.program, trials.folder(), trials.storage)
        here, there = (full, empty) if direction == "push" else (empty, full)
        name = f"kills of the server, {direction}, {number}"
        with there.serve() as server:
            url = server.url + "/db"
            ends = (here.path, url) if direction == "push" else (url, here.path)
            process = trials.start(*ends)
            time.sleep(chosen.uniform(0.05, 1.5))
            server.kill()
            time.sleep(chosen.uniform(0, 0.5))
            server.start()
            result = trials.wait(process)
            for _ in range(2):
                if result.status == 0:
                    break
                result = trials.run(*ends)
            server.stop()
        trials.check(name, (difference(here.dump(), there.dump()) or here.problem() or there.problem())
                     if result.status == 0 else result)
