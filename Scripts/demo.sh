#!/usr/bin/env bash
# A tour of Settee through its command line. Says what it does, checks what it shows, and exits 1 when anything is not as
# promised. Argument: the `settee` program.
set -euo pipefail

settee=$1
people_count=10000
folder=$(mktemp -d)
importer=
trap 'if [[ -n $importer ]]; then kill -9 "$importer" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
db=$folder/people.settee
unset SETTEE_KEY SETTEE_NEW_KEY SETTEE_STORAGE_TYPE

say() { printf '\n%s\n' "$*"; }
fail() {
    printf 'NOT AS PROMISED: %s\n' "$*" >&2
    exit 1
}
expect() { # description, expected, actual
    [[ $2 == "$3" ]] || fail "$1: expected $2, got $3"
}
# A number in one line of JSON on standard input: number FIELD
number() { sed -nE "s/.*\"$1\":([0-9]+).*/\1/p"; }
text() { sed -nE "s/.*\"$1\":\"([^\"]*)\".*/\1/p"; }
info() { "$settee" info "$db" --json; }

# Made-up people as JSON lines, the same at every run: people FIRST LAST. Without LAST it never ends.
people() {
    awk -v first="$1" -v last="${2:-0}" '
        function random(limit) { state = (state * 16807) % 2147483647; return state % limit }
        BEGIN {
            split("Agnes Bertil Carola Dimitri Eleonor Fabio Gudrun Henning", names, " ")
            split("Aalborg Cork Evora Ghent Ischia Jena", cities, " ")
            for (i = first; last == 0 || i <= last; i++) {
                state = i * 7919 % 2147483646 + 1
                random(2); random(2)
                printf "{\"_id\":\"person-%07d\",\"name\":\"%s\",\"born\":%d,", i, names[1 + random(8)], 1930 + random(75)
                printf "\"address\":{\"city\":\"%s\",\"zip\":\"%05d\"},", cities[1 + random(6)], random(100000)
                printf "\"score\":%d}\n", random(1000000)
            }
        }'
}

say "1. A new database is a folder."
"$settee" create "$db" >/dev/null
ls "$db" | sed 's/^/   /'

say "2. Put a document, get it back by its ID."
"$settee" put "$db" little-big '{"title":"Little, Big","author":"John Crowley","published":1982}' | sed 's/^/   /'
"$settee" get "$db" little-big | sed 's/^/   /'
"$settee" get "$db" little-big --json | grep -q '"published":1982' || fail "get gave back something else"
revision=$("$settee" get "$db" little-big --json | text _rev)
"$settee" put "$db" little-big '{"title":"Little, Big","read":true}' --rev "$revision" >/dev/null
status=0
"$settee" put "$db" little-big '{"title":"From an old copy"}' --rev "$revision" >/dev/null 2>"$folder/message" || status=$?
expect "the exit status of a put over a newer revision" 1 "$status"
echo "   A put that did not see the latest revision is refused:"
sed 's/^/   /' "$folder/message"

say "3. Import $people_count people from JSON lines."
people 1 "$people_count" >"$folder/people.jsonl"
"$settee" import "$db" "$folder/people.jsonl" --json | tail -1 >"$folder/result"
expect "imported documents" "$people_count" "$(number documents <"$folder/result")"
expect "documents in the database" $((people_count + 1)) "$(info | number documentCount)"
sed 's/^/   /' "$folder/result"

say "4. List a range of IDs."
"$settee" ls "$db" --start-key person-0000100 --end-key person-0000103 --include-docs --json >"$folder/range"
sed -E 's/^(.{100}).*/\1.../; s/^/   /' "$folder/range"
expect "documents of the range" 4 "$(wc -l <"$folder/range" | tr -d ' ')"

say "5. List the latest changes, by sequence."
last=$(info | number lastSequence)
"$settee" changes "$db" --since $((last - 3)) --json >"$folder/changes"
sed 's/^/   /' "$folder/changes"
expect "changes after sequence $((last - 3))" 3 "$(wc -l <"$folder/changes" | tr -d ' ')"

say "6. Kill a running import with SIGKILL."
"$settee" ls "$db" --json | sort >"$folder/acknowledged"
mkfifo "$folder/endless"
people $((people_count + 1)) >"$folder/endless" 2>/dev/null &
"$settee" import "$db" - --json <"$folder/endless" >/dev/null 2>&1 &
importer=$!
turns=0
while [[ $(info | number documentCount) -le $((people_count + 1)) && $turns -lt 300 ]]; do
    kill -0 "$importer" 2>/dev/null || fail "the import ended by itself"
    turns=$((turns + 1))
    sleep 0.1
done
kill -9 "$importer" || fail "there was no import to kill"
wait "$importer" 2>/dev/null || true
importer=
"$settee" ls "$db" --json | sort >"$folder/after"
lost=$(comm -23 "$folder/acknowledged" "$folder/after" | wc -l | tr -d ' ')
expect "acknowledged documents that are missing" 0 "$lost"
"$settee" check "$db" --json >"$folder/check" || fail "the database is damaged: $(cat "$folder/check")"
echo "   All $(wc -l <"$folder/acknowledged" | tr -d ' ') acknowledged documents are there, and settee check finds nothing wrong:"
sed 's/^/   /' "$folder/check"
echo "   Of the killed import, $(($(wc -l <"$folder/after") - $(wc -l <"$folder/acknowledged"))) documents had been committed."

say "7. Delete the documents of a range and compact."
"$settee" ls "$db" --start-key person-0000001 --end-key person-0000100 --json | text id |
    while IFS= read -r id; do "$settee" rm "$db" "$id" >/dev/null; done
before=$(info | number bytesOnDisk)
documents=$(info | number documentCount)
echo "   before: $documents documents, $before bytes"
"$settee" compact "$db" >/dev/null
after=$(info | number bytesOnDisk)
echo "   after:  $(info | number documentCount) documents, $after bytes"
[[ $after -lt $before ]] || fail "compacting took $before bytes to $after"
expect "documents after compacting" "$documents" "$(info | number documentCount)"
"$settee" check "$db" >/dev/null || fail "the compacted database is damaged"
"$settee" get "$db" person-0000500 --json | grep -q '"_id":"person-0000500"' || fail "a document is missing after compacting"

say "Everything was as promised."
