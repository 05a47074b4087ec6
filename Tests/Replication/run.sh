#!/usr/bin/env bash
# `settee replicate` against servers of CouchDB's protocol, through faults, kills, nginx and haproxy.
# Arguments: the `settee` program, and options and parts of replicate.py.
set -euo pipefail

settee=$(realpath "$1")
shift
cd "$(dirname "$(realpath "$0")")"
unset SETTEE_KEY SETTEE_NEW_KEY SETTEE_STORAGE_TYPE
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1

python3 proxycheck.py
python3 selfcheck.py "$settee"
python3 replicate.py "$settee" "$@"
