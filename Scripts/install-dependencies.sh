#!/usr/bin/env bash
# Installs the system packages that building and testing need and that are missing: by apt on Debian and Ubuntu, with sudo
# when not root. Elsewhere it names them and fails. Says nothing when all are there. Arguments: further packages whose
# command has the package's name, or `command=package`.
set -euo pipefail

missing=()
command -v pkg-config >/dev/null || missing+=(pkg-config)
pkg-config --exists icu-i18n 2>/dev/null || missing+=(libicu-dev)
pkg-config --exists sqlite3 2>/dev/null || missing+=(libsqlite3-dev)
# Loaded at run time by the encrypted engine; the headers are for the plain C program beside it.
pkg-config --exists sqlcipher 2>/dev/null || missing+=(libsqlcipher-dev)
pkg-config --exists lmdb 2>/dev/null || missing+=(liblmdb-dev)
# Loaded at run time by the engine for RocksDB; its header is compared with, and for the plain C program.
pkg-config --exists rocksdb 2>/dev/null || missing+=(librocksdb-dev)
pkg-config --exists liblz4 2>/dev/null || missing+=(liblz4-dev)
pkg-config --exists zlib 2>/dev/null || missing+=(zlib1g-dev)
# The tests look at data files with the shells sqlite3 and sqlcipher, mdb_stat and mdb_dump; strace ends processes at chosen system calls (Linux).
command -v sqlite3 >/dev/null || missing+=(sqlite3)
command -v sqlcipher >/dev/null || missing+=(sqlcipher)
command -v mdb_stat >/dev/null || missing+=(lmdb-utils)
if [[ $(uname -s) == Linux ]]; then
    command -v strace >/dev/null || missing+=(strace)
    # Counts instructions, which tells a slower path on a busy machine, too.
    command -v valgrind >/dev/null || missing+=(valgrind)
    command -v strip >/dev/null || missing+=(binutils)
    # Loaded at run time by settee-js.
    ldconfig -p 2>/dev/null | grep -q 'libjavascriptcoregtk-4\.1\.so\.0' || missing+=(libjavascriptcoregtk-4.1-0)
    # Lays out the page of benchmark results.
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null || missing+=(chromium)
fi
for command in "$@"; do
    command -v "${command%=*}" >/dev/null || missing+=("${command#*=}")
done
if ! command -v swift >/dev/null; then
    echo "There is no swift command. Install the Swift toolchain named in .swift-version: https://www.swift.org/install" >&2
    exit 1
fi
if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    echo "These packages (by their Debian names) are missing: ${missing[*]}" >&2
    case $(uname -s) in
    Darwin) echo "With Homebrew: brew install icu4c lmdb lz4 rocksdb sqlite sqlcipher pkgconf, and put their pkgconfig folders on PKG_CONFIG_PATH." >&2 ;;
    *) echo "Fedora calls them pkgconf-pkg-config libicu-devel lmdb-devel lz4-devel rocksdb-devel sqlite-devel sqlcipher-devel lmdb sqlite sqlcipher strace." >&2 ;;
    esac
    exit 1
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "Missing packages. As root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "Installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@" </dev/null >"$log" 2>&1
}
# The package lists may be absent or out of date.
if ! apt install "${missing[@]}"; then
    if ! { apt update && apt install "${missing[@]}"; }; then
        cat "$log" >&2
        echo "apt-get could not install ${missing[*]}" >&2
        exit 1
    fi
fi
