#!/usr/bin/env bash
# Counts the instructions of the paths that everybody pays for, and fails if one takes more than its limit in
# Tests/InstructionProbe/limits.txt. Counts do not depend on what else the machine does, but on the compiler and the
# libraries: with others than those of the limits, nothing is compared. Arguments: the folder with the program
# InstructionProbe. `--write` behind it sets the limits to what was counted, plus 15 %.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=$1/InstructionProbe
limits=Tests/InstructionProbe/limits.txt
command -v valgrind >/dev/null || { echo "check-instructions: valgrind is missing; install Debian's package valgrind" >&2; exit 1; }
versions="# $(uname -m), Swift $("${SWIFT:-swift}" --version 2>/dev/null | grep -oE 'Swift version [0-9.]+' | grep -oE '[0-9.]+')"
versions+=", SQLite $(pkg-config --modversion sqlite3), LMDB $(pkg-config --modversion lmdb), Valgrind $(valgrind --version)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/databases"
# Valgrind gives up on debugging information that is newer than itself.
strip --strip-debug -o "$work/program" "$program"
if ! valgrind --tool=callgrind --callgrind-out-file="$work/counts" "$work/program" "$work/databases" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
fi

# Each count is in a file of its own: `desc: Trigger: Client Request: ENGINE PATH OPERATIONS` and `totals: N`.
awk '/^desc: Trigger: Client Request: / { engine = $5; path = $6; operations = $7 }
    /^totals: / && engine != "" {
        name = engine " " path
        if (!(name in least)) order[++paths] = name
        if (!(name in least) || $2 / operations < least[name]) least[name] = $2 / operations
        engine = ""
    }
    END { for (number = 1; number <= paths; number++) printf "%s %d\n", order[number], least[order[number]] }' \
    $(ls "$work"/counts* | sort -V) >"$work/measured"
[[ -s $work/measured ]] || { echo "check-instructions: nothing was counted; was it built without valgrind's headers?" >&2; exit 1; }

if [[ ${2:-} == --write ]]; then
    { echo "$versions"; awk '{ printf "%s %s %d\n", $1, $2, $3 * 1.15 }' "$work/measured"; } >"$limits"
fi
if [[ $(head -1 "$limits") != "$versions" ]]; then
    echo "check-instructions: not compared: the limits are for '$(head -1 "$limits")', this is '$versions'"
    exit 0
fi
awk -v limits="$limits" 'BEGIN { while ((getline line < limits) > 0) if (line !~ /^#/) { split(line, part, " "); limit[part[1] " " part[2]] = part[3] } }
    {
        name = $1 " " $2
        seen[name] = 1
        verdict = !(name in limit) ? "has no limit" : $3 > limit[name] ? "is more than " limit[name] : ""
        printf "%-7s %-14s %8d instructions %s\n", $1, $2, $3, verdict
        if (verdict != "") failed = 1
    }
    END {
        for (name in limit) if (!(name in seen)) { print name " was not counted"; failed = 1 }
        if (failed) print "check-instructions: find out why (valgrind --tool=callgrind), or raise the limit in " limits " and say why"
        exit failed
    }' "$work/measured"
