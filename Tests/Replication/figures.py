"""Figures of `settee replicate`, measured between processes of this machine (Linux).

    python3 figures.py PROGRAM PART [--count N] [--seconds N] [--people PROGRAM] [--control NAME]

Parts: delay, how long a write takes to the other side of a continuous run; idle, what such a run costs while nothing is
written; documents, time and memory with --count of 300 bytes; attachments, the same with --count contents of 10 MiB;
large, a content of 1 GiB beside curl, and through ten breaks; link, people documents over a line with delay and loss,
beside curl (as root): --people is generate of Benchmarks/baseline, --control is how TCP controls congestion.
"""
import argparse
import os
import shutil
import sys
import tempfile

import content_figures
import delay_figures
import link_figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("part")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--people", default=".build/baseline/generate")
    parser.add_argument("--control", default="reno")
    options = parser.parse_args()
    root = tempfile.mkdtemp(prefix="settee-figures-")
    program = os.path.abspath(options.program)
    parts = {
        "delay": lambda: delay_figures.delays(program, root, options.count),
        "idle": lambda: delay_figures.idle(program, root, options.count, options.seconds),
        "documents": lambda: content_figures.documents(program, root, options.count),
        "attachments": lambda: content_figures.many(program, root, options.count),
        "large": lambda: content_figures.large(program, root),
        "link": lambda: link_figures.run(program, root, options.people, options.count, options.control),
    }
    try:
        parts[options.part]()
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
