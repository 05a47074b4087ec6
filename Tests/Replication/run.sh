#!/usr/bin/env bash
# `settee replicate` against servers of CouchDB's protocol, through faults, kills, nginx and haproxy. oauthlib and
# oidc-provider-mock, which judge logins, come from PyPI; where only other parts are run, nothing is installed.
# Arguments: the `settee` program, and options and parts of replicate.py.
set -euo pipefail

settee=$(realpath "$1")
shift
here=$(dirname "$(realpath "$0")")
python=python3
others=' (dialects|engines|replaced|logins|orders|poisoned|beside|faults|kills|calls|between) '
if [[ " $* " =~ \ (oauth|openid|tls)\  || ! " $* " =~ $others ]]; then
    mkdir -p .build/replication
    python=$(realpath .build/replication)/venv/bin/python
    [[ -x $python ]] || python3 -m venv .build/replication/venv
    "$python" -m pip install -q oauthlib==4.0.1 oidc-provider-mock==0.3.4 cryptography
fi
cd "$here"
unset SETTEE_KEY SETTEE_NEW_KEY SETTEE_STORAGE_TYPE
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1

"$python" proxycheck.py
"$python" selfcheck.py "$settee"
"$python" replicate.py "$settee" "$@"
