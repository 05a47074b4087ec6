#!/usr/bin/env bash
# Checks that comments in Swift files end at 120 columns; swift format says nothing of them. An address may be longer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

long=$(
    find Sources Tests Benchmarks Fuzz Examples Package.swift -name '*.swift' -not -path '*/.build*/*' -print0 |
        LC_ALL=C.UTF-8 xargs -0 grep -nHE '^.{121,}' | grep -E '^[^:]*:[0-9]+: *//+ .* ' | cut -d: -f1,2 || true
)
[ -z "$long" ] && exit 0
sed 's/$/: error: the comment has more than 120 columns/' <<<"$long" >&2
exit 1
