#!/usr/bin/env bash
# Passes on what the tests print, and fails at the end if any were skipped for a tool that `make deps` installs, or for a
# program that is built with them: a check that left them out has not checked what it says.
set -uo pipefail

# The words by which the reasons in Tests/ name them.
tools='chromium|strace|setsid|sqlite3|sqlcipher|mdb_(stat|dump|load)|Settee[A-Za-z]*Probe'
[[ $(uname -s) == Linux ]] || tools=${tools#strace|setsid|}

skipped=()
while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ $line =~ \ skipped:\ .*($tools) ]]; then skipped+=("$line"); fi
done
if [[ ${#skipped[@]} != 0 ]]; then
    echo "check-skipped: these tests were skipped for a tool that is missing. Run \`make deps\`, and build the tests again:" >&2
    printf '  %s\n' "${skipped[@]}" >&2
    exit 1
fi
