#!/usr/bin/env bash
# Clients of CouchDB, and a replicator after its protocol, against a built program. They come from PyPI, and LightCouch from
# Debian: default-jdk-headless and liblightcouch-java, without which it is skipped. So is a page in Chromium without
# chromium.
# Arguments: the `settee` program, and a folder for what is installed.
set -euo pipefail

settee=$(realpath "$1")
folder=${2:-.build/clients}
here=$(dirname "$(realpath "$0")")
mkdir -p "$folder"
folder=$(realpath "$folder")
unset SETTEE_KEY SETTEE_NEW_KEY SETTEE_STORAGE_TYPE

python=$folder/venv/bin/python
[[ -x $python ]] || python3 -m venv "$folder/venv"
"$python" -m pip install -q 'setuptools<70' CouchDB==1.2 CouchDB2==1.13.0 aiocouch==4.0.1 cloudant==2.15.0 \
    ibmcloudant==0.11.12 requests pytest pytest-asyncio
if [[ ! -d $folder/aiocouch-4.0.1 ]]; then
    "$python" -m pip download -q --no-deps --no-binary :all: -d "$folder" aiocouch==4.0.1
    tar xzf "$folder/aiocouch-4.0.1.tar.gz" -C "$folder"
fi

cd "$here"
export PYTHONDONTWRITEBYTECODE=1
seed=$((RANDOM % 10000 * 2))
"$python" replication.py "$settee" "$seed" 20 sqlite lmdb
"$python" replication.py "$settee" "$((seed + 1))" 20 sqlite lmdb
"$python" replication.py "$settee" "$((seed + 3))" 20 lmdb lmdb
"$python" clients.py "$settee"
"$python" browser.py "$settee"
"$python" suites.py "$settee" "$folder/aiocouch-4.0.1"
