# What is measured. Sourced by Scripts/bench-listener.sh; each function measures one figure in one round.

prepare() {
    echo "preparing $docs documents" >&2
    "$programs/bodies" --docs "$docs" >"$work/people.jsonl"
    "$programs/bodies" --docs "$docs" --batch 1000 >"$work/bulk"
    "$programs/bodies" --docs "$docs" --history 10 >"$work/foreign.jsonl"
    "$programs/bodies" --docs "$docs" --history 10 --batch 1000 >"$work/foreign"
    for engine in $engines; do
        mkdir -p "$work/$engine"
        "$settee" import "$work/$engine/people.settee" "$work/people.jsonl" --storage-type "$engine" >"$work/answer"
        "$settee" copy "$work/$engine/people.settee" "$work/$engine/fed.settee" >"$work/answer"
    done
    mkfifo "$work/go"
    # What the bare server sends: the first of the documents whose length is about the mean.
    local id
    id=$(awk '{ if (NR <= 1000) { length_of[NR] = length($0); sum += length($0) } }
        END { n = NR < 1000 ? NR : 1000; mean = sum / n; best = 1
            for (i = 2; i <= n; i++) if ((length_of[i] - mean) ^ 2 < (length_of[best] - mean) ^ 2) best = i
            printf "%07d", best }' "$work/people.jsonl")
    start_settee "${engines%% *}"
    curl -sS --fail -o "$work/document" "http://127.0.0.1:$port/people/$id"
    stop_server
    if [[ " $figures " == *" attachment "* || " $figures " == *" slow "* ]]; then prepare_content; fi
}

prepare_content() {
    head -c "$((content << 20))" /dev/urandom >"$work/content"
    for engine in $engines; do
        "$settee" create "$work/$engine/files.settee" --storage-type "$engine" >"$work/answer"
        "$settee" attach "$work/$engine/files.settee" kept content "$work/content" >"$work/answer"
    done
}

# GET of documents in no order, and of one from memory.
measure_get() {
    local side engine result
    for engine in "" $engines; do
        side=settee
        if [[ -z $engine ]]; then
            side=counterpart
            start_bare
        else
            start_settee "$engine"
        fi
        local command=(wrk -t1 -c"$connections" -s "$here/requests.lua")
        "${command[@]}" -d1s "http://127.0.0.1:$port" -- get "$docs" >"$work/answer"
        result=$(watched "${command[@]}" -d"${duration}s" "http://127.0.0.1:$port" -- get "$docs")
        note get "$engine" "$side" "$(member "$result" .requestsPerSecond)" "requests/s" "$(member "$result" .requests)"
        stop_server
    done
}

# `_bulk_docs` of 1,000, and the same documents by calls in this process.
measure_bulk() {
    local engine
    for engine in $engines; do
        bulk bulk insert "$engine" people.jsonl bulk
        bulk bulk-foreign force-insert "$engine" foreign.jsonl foreign
    done
}

# bulk FIGURE WORKLOAD ENGINE LINES BODIES
bulk() {
    local result
    result=$(local_work "$2" "$3" "$work/local" --data "$work/$4")
    rm -rf "$work/local"
    note "$1" "$3" counterpart "$(member "$result" .perSecond)" "documents/s" "$docs"
    start_settee "$3"
    database PUT written
    result=$(watched "$programs/load" lines --port "$port" --target /written/_bulk_docs --file "$work/$5")
    note "$1" "$3" settee "$(member "$result" "$docs / .seconds")" "documents/s" "$docs"
    database DELETE written
    stop_server
}

# Single PUTs, each on the disk before its answer: on many connections, and on one.
measure_puts() {
    local engine count side result
    for engine in $engines; do
        start_settee "$engine"
        for count in 1 "$connections"; do
            side=settee
            if ((count == 1)); then side=counterpart; fi
            database PUT written
            result=$(watched wrk -t1 -c"$count" -d"${duration}s" -s "$here/requests.lua" "http://127.0.0.1:$port" \
                -- put written)
            note puts "$engine" "$side" "$(member "$result" .requestsPerSecond)" "requests/s" \
                "$(member "$result" .requests)"
            database DELETE written
        done
        stop_server
    done
}

measure_all_docs() {
    listing all-docs scan-json "/people/_all_docs?include_docs=true"
}

measure_changes() {
    listing changes changes-leaves "/people/_changes?style=all_docs"
}

# listing FIGURE WORKLOAD TARGET: five times all documents over HTTP, and by calls in this process.
listing() {
    local engine result
    for engine in $engines; do
        result=$(local_work "$2" "$engine" "$work/$engine" --times 5)
        note "$1" "$engine" counterpart "$(member "$result" .perSecond)" "documents/s" "$((docs * 5))"
        start_settee "$engine"
        "$programs/load" get --port "$port" --target "$3" >"$work/answer"
        result=$(watched "$programs/load" get --port "$port" --target "$3" --times 5)
        note "$1" "$engine" settee "$(member "$result" "$docs * 5 / .seconds")" "documents/s" "$((docs * 5))"
        stop_server
    done
}

# A large attachment: GET, and nginx with the same file; PUT, and `settee attach`.
measure_attachment() {
    local engine result began
    start_nginx
    result=$(watched "$programs/load" get --port "$port" --target /content)
    note attachment-get "" counterpart "$(megabytes "$result")" MB/s "$content"
    stop_server
    for engine in $engines; do
        start_settee "$engine"
        # The first request for it computes its MD5, which is kept.
        curl -sS --fail -I -o "$work/answer" "http://127.0.0.1:$port/files/kept/content"
        result=$(watched "$programs/load" get --port "$port" --target /files/kept/content)
        note attachment-get "$engine" settee "$(megabytes "$result")" MB/s "$content"
        # Contents that the database has are not written again.
        new_content
        database PUT written
        result=$(watched "$programs/load" file --port "$port" --method PUT --type application/octet-stream \
            --target /written/new/content --file "$work/content")
        note attachment-put "$engine" settee "$(megabytes "$result")" MB/s "$content"
        database DELETE written
        stop_server
        new_content
        "$settee" create "$work/attached.settee" --storage-type "$engine" >"$work/answer"
        began=$EPOCHREALTIME
        "$settee" attach "$work/attached.settee" new content "$work/content" >"$work/answer"
        note attachment-put "$engine" counterpart "$(rate "$content" "$began")" MB/s
        rm -rf "$work/attached.settee"
    done
}

megabytes() {
    member "$1" "$content / .seconds"
}

new_content() {
    head -c 64 /dev/urandom | dd of="$work/content" conv=notrunc status=none
}

# Many readers who take 10 KB/s, of a listing and of an attachment: the server's memory.
measure_slow() {
    local engine target
    for engine in $engines; do
        for target in "slow-listing /people/_all_docs?include_docs=true" "slow-attachment /files/kept/content"; do
            start_settee "$engine"
            # The first requests make what stays.
            "$programs/load" get --port "$port" --target "/people/_all_docs?limit=1000" --times 10 >"$work/answer"
            watched "$programs/load" slow --port "$port" --target "${target#* }" --connections "$readers" \
                --rate 10240 --seconds "$((duration * 2))" >"$work/answer"
            note "${target%% *}" "$engine" settee "$(jq .heldMostBytes-.heldBytes "$work/watched")" bytes "$readers"
            stop_server
        done
    done
}

# Longpolls that wait: memory, and how soon a write answers them.
measure_feeds() {
    local engine side result target
    for engine in "" $engines; do
        side=settee
        target="/fed/_changes?feed=longpoll&since=now"
        if [[ -z $engine ]]; then
            side=counterpart
            target=/wait
            start_bare
        else
            start_settee "$engine"
        fi
        : >"$work/printed"
        exec 7<>"$work/go"
        "$programs/load" feeds --port "$port" --target "$target" --connections "$feeds" \
            ${engine:+--database /fed} <"$work/go" >"$work/printed" &
        local process=$!
        while kill -0 "$process" 2>"$work/log" && [[ ! -s "$work/printed" ]]; do sleep 0.1; done
        if [[ -s "$work/printed" ]]; then
            note feeds-memory "$engine" "$side" "$(held_bytes)" bytes
            note feeds-resident "$engine" "$side" "$(resident_bytes)" bytes
            echo >&7
        fi
        if ! wait "$process"; then
            echo "bench-listener: the feeds of ${engine:-the bare server} were not all answered" >&2
        elif [[ -n $engine ]]; then
            note feeds-woken "$engine" settee "$(member "$(tail -n 1 "$work/printed")" .lastMilliseconds)" ms
            result=$(echo | "$programs/load" feeds --port "$port" --target "$target" --database /fed --times 200 |
                tail -n 1)
            note feed-woken "$engine" settee "$(member "$result" .lastMilliseconds)" ms
        fi
        exec 7>&-
        stop_server
    done
}

# The first query of a view, which builds its index: in JavaScript over HTTP, and in Swift in a process of its own.
# `settee-js` is beside `settee`. The map function has another text in each round, so that it is another view.
measure_view() {
    local engine seconds result
    for engine in $engines; do
        cp -a "$work/$engine/people.settee" "$work/$engine/local.settee"
        result=$(local_work view "$engine" "$work/$engine" --database local)
        rm -rf "$work/$engine/local.settee"
        note view "$engine" counterpart "$(member "$result" .perSecond)" "documents/s" "$docs"
        start_settee "$engine"
        cat >"$work/design" <<JSON
{"views":{"score":{"map":"doc => { if (doc.score !== undefined) emit(doc.score, null) } // $round"}}}
JSON
        curl -sS --fail -o "$work/answer" -X PUT --data-binary "@$work/design" \
            "http://127.0.0.1:$port/people/_design/round$round"
        seconds=$(curl -sS --fail -o "$work/answer" -w '%{time_total}' \
            "http://127.0.0.1:$port/people/_design/round$round/_view/score?limit=1")
        jq -e '.rows | length == 1' "$work/answer" >/dev/null
        note view "$engine" settee "$(jq -n "$docs / $seconds")" "documents/s"
        stop_server
    done
}

settings() {
    machine | jq -c --argjson documents "$docs" --argjson rounds "$rounds" --argjson seconds "$duration" \
        --argjson connections "$connections" --argjson feeds "$feeds" --argjson readers "$readers" \
        --argjson contentMegabytes "$content" \
        '. + {$documents, $rounds, $seconds, $connections, $feeds, $readers, $contentMegabytes}'
}
