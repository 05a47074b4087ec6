# Starting and ending servers, and noting results. Sourced by Scripts/bench-listener.sh and bench-replication.sh, which set
# `work`, a folder, `results`, a file, and where the programs are.

# Starts a server that prints its address as JSON; sets `server` (its process) and `port`.
start_server() {
    : >"$work/url"
    "$@" >"$work/url" 2>"$work/log" </dev/null &
    server=$!
    for ((i = 0; i < 200; i++)); do
        port=$(sed -n 's/.*:\([0-9]\{1,5\}\)[^0-9]*$/\1/p' "$work/url")
        [[ -n $port ]] && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    echo "$1 did not start" >&2
    cat "$work/log" >&2
    exit 1
}

start_settee() {
    start_server "$settee" serve "$work/$1" --port 0 --json --storage-type "$1"
}

start_bare() {
    start_server "$swift_programs/Bare" 0 "$work/document"
}

# Sends the files of the work folder, one process.
start_nginx() {
    local number=$((20000 + RANDOM % 10000))
    mkdir -p "$work/nginx"
    cat >"$work/nginx.conf" <<CONF
daemon off;
master_process off;
pid $work/nginx/pid;
error_log $work/nginx/errors;
events { }
http {
    access_log off;
    sendfile off;
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    server { listen 127.0.0.1:$number; root $work; }
}
CONF
    chmod 755 "$work"
    start_server bash -c "echo 'http://127.0.0.1:$number'; exec nginx -c '$work/nginx.conf'"
    for ((i = 0; i < 100; i++)); do
        curl -sS --fail -I -o "$work/answer" "http://127.0.0.1:$port/document" 2>"$work/log" && return
        sleep 0.05
    done
    cat "$work/log" "$work/nginx/errors" >&2
    exit 1
}

stop_server() {
    [[ -n $server ]] || return 0
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
}

# PUT or DELETE of a database.
database() {
    curl -sS --fail -o "$work/answer" -X "$1" "http://127.0.0.1:$port/$2"
}

# Runs a command that prints a line of JSON last, and watches the server meanwhile.
watched() {
    "$programs/watch" "$server" "$work/watched" "$@" >"$work/printed"
    tail -n 1 "$work/printed"
}

# local_work WORKLOAD ENGINE FOLDER [OPTION...]: work by calls in a process of its own, as if it had been watched.
local_work() {
    "$swift_programs/Local" --workload "$1" --storage-type "$2" --folder "$3" "${@:4}" >"$work/printed"
    jq -c '{cpuSeconds, heldBytes: null, heldMostBytes: null}' "$work/printed" >"$work/watched"
    cat "$work/printed"
}

# rate COUNT BEGAN: how much a second from a time (EPOCHREALTIME) to now.
rate() {
    awk -v count="$1" -v began="$2" -v ended="$EPOCHREALTIME" 'BEGIN { print count / (ended - began) }'
}

# note FIGURE ENGINE SIDE VALUE UNIT [COUNT]: a result of this round, with what the server took if COUNT
# operations were watched.
note() {
    local watched=null
    if [[ -n ${6:-} ]]; then watched=$(<"$work/watched"); fi
    jq -cn --arg figure "$1" --arg engine "$2" --arg side "$3" --argjson value "$4" --arg unit "$5" \
        --argjson count "${6:-null}" --argjson watched "$watched" --argjson round "$round" \
        '{$figure, $engine, $side, $round, $value, $unit}
            + if $watched then {$count, cpuMicroseconds: ($watched.cpuSeconds / $count * 1e6),
                heldBytes: $watched.heldMostBytes,
                grownBytes: (if $watched.heldBytes then $watched.heldMostBytes - $watched.heldBytes else null end)}
                else {} end' \
        >>"$results"
}

# The value of a member, or of an expression, of a line of JSON.
member() {
    jq -r "$2" <<<"$1"
}

# Memory of the server's own, and all that is in memory, in bytes.
held_bytes() {
    awk '$1 == "RssAnon:" { print $2 * 1024 }' "/proc/$server/status"
}

resident_bytes() {
    awk '$1 == "VmRSS:" { print $2 * 1024 }' "/proc/$server/status"
}

# The machine, as members of a JSON object.
machine() {
    jq -cn --arg commit "${SETTEE_COMMIT:-}" --arg date "$(date -u +%FT%TZ)" \
        --arg processor "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" --argjson cores "$(nproc)" \
        '{$date, $commit, $processor, $cores}'
}
