#!/usr/bin/env bash
# Writes the tables of results in docs/ anew from the committed result files: what is between
# `<!-- results: FILE OPTIONS -->` and `<!-- end of results -->` is what `settee bench report FILE --markdown OPTIONS`
# prints. Arguments: [--check] and the program; with --check nothing is written, and a table that differs is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

check=
if [[ ${1:-} == --check ]]; then
    check=yes
    shift
fi
settee=$1
failed=0
while IFS= read -r page; do
    new=$(mktemp)
    inside=
    while IFS= read -r line; do
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
    if cmp -s "$page" "$new"; then
        rm "$new"
    elif [[ -n $check ]]; then
        echo "$page: error: the tables are not those of the result files; run Scripts/bench-docs.sh" >&2
        rm "$new"
        failed=1
    else
        cat "$new" >"$page"
        rm "$new"
    fi
done < <(grep -rl --include='*.md' '^<!-- results: ' docs README.md)
exit "$failed"
