#!/usr/bin/env bash
# Checks that the relative links of the Markdown files lead to files that exist, and their #fragments to headings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The text without fenced blocks and without code between backticks.
prose() {
    awk '/^[[:space:]]*```/ { fenced = !fenced; next } !fenced { gsub(/`[^`]*`/, ""); print }' "$1"
}

# The fragments of a file's headings, one a line: lower case, blanks to hyphens, other punctuation dropped.
fragments() {
    awk '/^[[:space:]]*```/ { fenced = !fenced; next } !fenced && /^#+ / { sub(/^#+ +/, ""); print }' "$1" |
        tr '[:upper:]' '[:lower:]' | sed -E 's/[^[:alnum:] _-]//g; s/ /-/g'
}

failed=0
while IFS= read -r -d '' file; do
    while IFS= read -r target; do
        case $target in
        *://* | mailto:*) continue ;;
        esac
        path=${target%%#*}
        place=$file
        if [[ -n $path ]]; then
            place=$(dirname "$file")/$path
        fi
        if [[ ! -e $place ]]; then
            echo "$file: error: the link to $target leads nowhere" >&2
            failed=1
        elif [[ $target == *'#'* ]] && ! fragments "$place" | grep -qxF -- "${target#*#}"; then
            echo "$file: error: $target names no heading" >&2
            failed=1
        fi
    done < <(prose "$file" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\((.*)\)$/\1/' || true)
done < <(find . \( -name '.build*' -o -name .git \) -prune -o -name '*.md' -print0)
exit "$failed"
