# What is measured. Sourced by Scripts/bench-replication.sh; each function measures one figure in one round.

prepare() {
    echo "preparing $docs documents" >&2
    "$programs/bodies" --docs "$docs" >"$work/people.jsonl"
    "$programs/bodies" --docs "$docs" --history 1 >"$work/foreign.jsonl"
    local engine
    for engine in $engines; do
        mkdir -p "$work/$engine"
        "$settee" import "$work/$engine/people.settee" "$work/people.jsonl" --storage-type "$engine" >"$work/answer"
    done
    if [[ " $figures " == *" attachment "* ]]; then
        head -c "$((content << 20))" /dev/urandom >"$work/content"
        for engine in $engines; do
            "$settee" create "$work/$engine/file.settee" --storage-type "$engine" >"$work/answer"
            "$settee" attach "$work/$engine/file.settee" kept content "$work/content" >"$work/answer"
        done
        rm "$work/content"
    fi
    if [[ " $figures " == *" many-attachments "* ]]; then prepare_contents; fi
}

prepare_contents() {
    local engine number
    for engine in $engines; do
        "$settee" create "$work/$engine/files.settee" --storage-type "$engine" --durability normal >"$work/answer"
    done
    for ((number = 0; number < contents; number++)); do
        head -c $((10 << 20)) /dev/urandom >"$work/content"
        for engine in $engines; do
            "$settee" attach "$work/$engine/files.settee" "d$number" content "$work/content" >"$work/answer"
        done
    done
    rm "$work/content"
}

# Pull and push over HTTP, each with what comes after it: nothing to do, and all checkpoints lost.
measure_push_pull() {
    local engine
    for engine in $engines; do
        inserted "$engine"
        start_settee "$engine"
        direction pull "$engine" "http://127.0.0.1:$port/people" "$work/pulled.settee"
        rm -rf "$work/pulled.settee"
        direction push "$engine" "$work/$engine/people.settee" "http://127.0.0.1:$port/pushed"
        database DELETE pushed
        stop_server
    done
}

# The same documents by `forceInsert` in batches.
inserted() {
    local result
    result=$(local_work force-insert "$1" "$work/local" --data "$work/foreign.jsonl")
    rm -rf "$work/local"
    local figure
    for figure in pull push local; do
        note "$figure" "$1" counterpart "$(member "$result" .perSecond)" "documents/s" "$docs"
    done
}

# direction FIGURE ENGINE SOURCE TARGET
direction() {
    local before transferred
    before=$(requests)
    replicated "$3" "$4" --create-target --storage-type "$2"
    transferred=$(jq "$docs / .seconds" "$work/watched")
    note "$1" "$2" settee "$transferred" "documents/s" "$docs"
    note "$1-memory" "$2" settee "$(jq .heldMostBytes "$work/watched")" bytes
    # Of this count, one is the request for the count.
    note "$1-requests" "$2" settee "$(jq -n "($(requests) - $before - 1) * 500 / $docs")" "requests"
    before=$(requests)
    replicated "$3" "$4"
    note "$1-nothing" "$2" settee "$(jq '.seconds * 1000' "$work/watched")" ms
    note "$1-nothing-requests" "$2" settee "$(($(requests) - before - 1))" "requests"
    replicated "$3" "$4" --reset
    note "$1-known" "$2" counterpart "$transferred" "documents/s"
    note "$1-known" "$2" settee "$(jq "$docs / .seconds" "$work/watched")" "documents/s" "$docs"
}

# replicated SOURCE TARGET [OPTION...]: what the process takes is in the file `watched`.
replicated() {
    "$programs/watch" 0 "$work/watched" "$settee" replicate "$@" --json >"$work/printed" 2>"$work/log" || {
        cat "$work/printed" "$work/log" >&2
        exit 1
    }
}

# How many requests the server has answered.
requests() {
    curl -sS --fail "http://127.0.0.1:$port/_node/_local/_prometheus" |
        awk '/^settee_listener_requests_total/ { sum += $NF } END { print sum + 0 }'
}

# Two databases of one process.
measure_local() {
    local engine
    for engine in $engines; do
        if [[ " $figures " != *" push-pull "* ]]; then inserted "$engine"; fi
        replicated "$work/$engine/people.settee" "$work/copied.settee" --create-target --storage-type "$engine"
        note local "$engine" settee "$(jq "$docs / .seconds" "$work/watched")" "documents/s" "$docs"
        rm -rf "$work/copied.settee"
    done
}

# A large attachment, and curl fetching it into a file.
measure_attachment() {
    local engine began
    for engine in $engines; do
        start_settee "$engine"
        # The first request for it computes its MD5, which is kept.
        curl -sS --fail -I -o "$work/answer" "http://127.0.0.1:$port/file/kept/content"
        began=$EPOCHREALTIME
        curl -sS --fail -o "$work/fetched" "http://127.0.0.1:$port/file/kept/content"
        note attachment "$engine" counterpart "$(rate "$content" "$began")" MB/s
        rm "$work/fetched"
        replicated "http://127.0.0.1:$port/file" "$work/pulled.settee" --create-target --storage-type "$engine"
        note attachment "$engine" settee "$(jq "$content / .seconds" "$work/watched")" MB/s "$content"
        note attachment-memory "$engine" settee "$(jq .heldMostBytes "$work/watched")" bytes
        rm -rf "$work/pulled.settee"
        stop_server
    done
}

# Many documents with an attachment of 10 MiB each: memory.
measure_many_attachments() {
    local engine
    for engine in $engines; do
        start_settee "$engine"
        replicated "http://127.0.0.1:$port/files" "$work/pulled.settee" --create-target --storage-type "$engine"
        note many-pulled "$engine" settee "$(jq .heldMostBytes "$work/watched")" bytes
        rm -rf "$work/pulled.settee"
        replicated "$work/$engine/files.settee" "http://127.0.0.1:$port/pushed" --create-target
        note many-pushed "$engine" settee "$(jq .heldMostBytes "$work/watched")" bytes
        database DELETE pushed
        stop_server
    done
}

settings() {
    machine | jq -c --argjson documents "$docs" --argjson rounds "$rounds" --argjson contentMegabytes "$content" \
        --argjson contents "$contents" '. + {$documents, $rounds, $contentMegabytes, $contents}'
}
