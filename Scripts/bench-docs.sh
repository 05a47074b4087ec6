#!/usr/bin/env bash
# Writes the tables of results in docs/ anew from the committed result files: what is between
# `<!-- results: FILE OPTIONS -->` and `<!-- end of results -->` is what `settee bench report FILE --markdown OPTIONS`
# prints. Arguments: [--check] and the program; with --check nothing is written, and a table that differs is an error.
set -euo pipefail

check=
if [[ ${1:-} == --check ]]; then
    check=yes
    shift
fi
settee=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
failed=0
new=$(mktemp)
trap 'rm -f "$new"' EXIT
while IFS= read -r page; do
    inside=
    while IFS= read -r line || [[ -n $line ]]; do
        if [[ $line =~ ^'<!-- results: '(.*)' -->'$ ]]; then
            inside=yes
            printf '%s\n\n' "$line"
            read -ra words <<<"${BASH_REMATCH[1]}"
            "$settee" bench report "${words[0]}" --markdown "${words[@]:1}"
            echo
        elif [[ $line == '<!-- end of results -->' ]]; then
            inside=
        fi
        [[ -n $inside ]] || printf '%s\n' "$line"
    done <"$page" >"$new"
    if [[ -n $inside ]]; then
        echo "$page: error: a table has no line '<!-- end of results -->'" >&2
        failed=1
    elif cmp -s "$page" "$new"; then
        continue
    elif [[ -n $check ]]; then
        echo "$page: error: the tables are not those of the result files; run Scripts/bench-docs.sh" >&2
        failed=1
    else
        cat "$new" >"$page"
    fi
done < <(grep -rl --include='*.md' '^<!-- results: ' docs README.md)
exit "$failed"
