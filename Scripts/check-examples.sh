#!/usr/bin/env bash
# Type-checks the Swift examples of README.md, CONTRIBUTING.md, docs/ and the DocC articles against the modules just built.
# Each block that begins with ```swift stands alone, with its imports; `<!-- sketch -->` on the line before one leaves it
# out. Errors name the line in the Markdown file. Also checks which types of the storage contract `import Settee` shows.
# Argument: the scratch folder of a debug build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$1/debug
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A file for each block: the imports, then the rest inside a function, unless it declares what no function may hold.
extract() {
    awk -v file="$1" -v prefix="$work/$(tr '/.' '__' <<<"$1")" '
        /^```swift/ && !sketch { inside = 1; start = NR; imports = ""; body = ""; bare = 0; next }
        /^```/ && inside {
            output = prefix "_" start ".swift"
            place = "#sourceLocation(file: \"" file "\", line: " start + 1 ")\n"
            if (bare) text = imports place body
            else text = imports "func example() async throws {\n" place body "\n#sourceLocation()\n}\n"
            printf "%s", text > output
            close(output)
            inside = 0
        }
        inside {
            if ($0 ~ /^(public |package )?(extension|protocol) /) bare = 1
            if ($0 ~ /^(@testable )?import /) { imports = imports $0 "\n"; body = body "\n" }
            else body = body $0 "\n"
        }
        { sketch = /^<!-- sketch -->$/ }
    ' "$1"
}
for file in README.md CONTRIBUTING.md docs/*.md docs/*/*.md Sources/*/*.docc/*.md; do
    if [[ -e $file ]]; then extract "$file"; fi
done

options=(-typecheck -suppress-warnings -parse-as-library -swift-version 6 -I "$build/Modules")
for map in Sources/CSettee*/module.modulemap "$build"/*.build/module.modulemap "$1"/checkouts/*/Sources/*/include/module.modulemap; do
    if [[ -e $map ]]; then options+=(-Xcc "-fmodule-map-file=$PWD/$map"); fi
done
for flag in $(pkg-config --cflags sqlite3 icu-i18n); do options+=(-Xcc "$flag"); done

failed=0
count=0
for example in "$work"/*.swift; do
    [[ -e $example ]] || continue
    count=$((count + 1))
    swiftc "${options[@]}" "$example" || failed=1
done
echo "$count examples of the documentation checked"

# An app that imports Settee sees the types of StorageProtocol that Settee.swift names, and none of the others.
declared=$(grep -rhoE '^(@[[:alnum:]]+ )*public (final |indirect )*(struct|enum|class|protocol|actor|typealias) [[:alnum:]_]+' Sources/StorageProtocol | awk '{ print $NF }' | sort -u)
exported=$(sed -nE 's/^@_exported public import (struct|enum|class|protocol|typealias) StorageProtocol\.//p' Sources/Settee/Settee.swift | sort -u)
echo "import Settee" >"$work/visible.swift"
for type in $declared; do echo "typealias App$type = $type" >>"$work/visible.swift"; done
hidden=$({ swiftc "${options[@]}" "$work/visible.swift" 2>&1 || true; } | sed -nE "s/.*error: cannot find type '([[:alnum:]_]+)' in scope.*/\\1/p" | sort -u)
visible=$(comm -23 <(echo "$declared") <(echo "$hidden"))
if [[ $visible != "$exported" ]]; then
    echo "'import Settee' shows other types of StorageProtocol than Sources/Settee/Settee.swift names (<: named, >: shown):" >&2
    diff <(echo "$exported") <(echo "$visible") >&2 || true
    failed=1
fi
echo "$(wc -w <<<"$exported") of $(wc -w <<<"$declared") types of the storage contract are visible to an app"
exit "$failed"
