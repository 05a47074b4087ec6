#!/usr/bin/env bash
# Checks the Markdown files: relative links lead to files that exist, and their #fragments to headings; every page in docs/
# is reached from docs/README.md in two clicks; decision records have one form; lines end at 120 columns.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The text without fenced blocks and without code between backticks.
prose() {
    awk '/^[[:space:]]*```/ { fenced = !fenced; next } !fenced { gsub(/`[^`]*`/, ""); print }' "$1"
}

# What a file links to, one target a line.
targets() {
    prose "$1" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\((.*)\)$/\1/' || true
}

# The fragments of a file's headings, one a line: lower case, blanks to hyphens, other punctuation dropped.
fragments() {
    awk '/^[[:space:]]*```/ { fenced = !fenced; next } !fenced && /^#+ / { sub(/^#+ +/, ""); print }' "$1" |
        tr '[:upper:]' '[:lower:]' | sed -E 's/[^[:alnum:] _-]//g; s/ /-/g'
}

failed=0
complain() {
    echo "$1" >&2
    failed=1
}

check_links() {
    local file=$1 target path linked
    while IFS= read -r target; do
        case $target in
        *://* | mailto:*) continue ;;
        esac
        path=${target%%#*}
        linked=$file
        if [[ -n $path ]]; then
            linked=$(dirname "$file")/$path
        fi
        # A DocC catalogue names its pictures without folder and extension.
        if [[ $file == *.docc/* && -e $(dirname "$file")/Resources/$path.svg ]]; then
            continue
        fi
        if [[ ! -e $linked ]]; then
            complain "$file: error: the link to $target leads nowhere"
        elif [[ $target == *'#'* ]] && ! fragments "$linked" | grep -qxF -- "${target#*#}"; then
            complain "$file: error: $target names no heading"
        fi
    done < <(targets "$file")
}

# Tables, fenced blocks, what is made from a result file, lines that only the target of a link makes longer, and those with
# no blank to break at have no limit.
check_columns() {
    local line
    while IFS= read -r line; do
        complain "$1:$line: error: more than 120 columns"
    done < <(
        awk '/^<!-- results: / { made = 1 } /^<!-- end of results -->/ { made = 0 } made { print ""; next }
            /^[[:space:]]*```/ { fenced = !fenced; print ""; next } fenced || /^[[:space:]]*\|/ { print ""; next } { print }' "$1" |
            sed -E -e 's/\]\([^) ]+\)/]/g' -e 's/^ *[^ ]+$//' | LC_ALL=C.UTF-8 grep -nE '^.{121,}' | cut -d: -f1
    )
}

# Decision records have one form.
check_record() {
    local form
    form=$(grep -oE '^(# [0-9]+\. |Date: [0-9]{4}-[0-9]{2}-[0-9]{2}$|Status: |## (Question|Weighed|Decision|Consequences)$)' "$1" |
        sed -E 's/^# .*/#/; s/^(Date|Status): .*/\1/; s/^## //' | tr '\n' ' ')
    if [[ $form != "# Date Status Question Weighed Decision Consequences " ]]; then
        complain "$1: error: a record has a title with its number, Date:, Status:, and ## Question, Weighed, Decision, Consequences"
    fi
}

# The pages in docs/ that the files named on standard input link to, and those files.
linked_pages() {
    local file target path
    while IFS= read -r file; do
        echo "$file"
        while IFS= read -r target; do
            path=$(dirname "$file")/${target%%#*}
            if [[ $path == *.md && -e $path ]]; then
                echo "$(cd "$(dirname "$path")" && pwd)/$(basename "$path")"
            fi
        done < <(targets "$file")
    done | { grep -F "$PWD/docs/" || true; } | sort -u
}

while IFS= read -r -d '' file; do
    check_links "$file"
    if [[ $file == ./docs/decisions/0* ]]; then check_record "$file"; fi
    check_columns "$file"
done < <(find . \( -name '.build*' -o -name .git \) -prune -o -name '*.md' -print0)

echo "$PWD/docs/README.md" | linked_pages | linked_pages >"$work/reached"
find "$PWD/docs" -name '*.md' | sort | comm -23 - "$work/reached" >"$work/missed"
while IFS= read -r page; do
    complain "${page#"$PWD/"}: error: docs/README.md does not lead here in two clicks"
done <"$work/missed"
exit "$failed"
