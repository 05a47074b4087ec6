#!/usr/bin/env bash
# Servers that find each other: three computers, in network namespaces, two of them with a bus and an Avahi daemon of
# their own, the third with python-zeroconf. As root. Arguments: the `settee` program, and a folder for what is installed.
set -euo pipefail

settee=$(realpath "$1")
folder=${2:-.build/discovery}
here=$(dirname "$(realpath "$0")")
mkdir -p "$folder"
folder=$(realpath "$folder")
[[ $(id -u) == 0 ]] || { echo "Network namespaces need root: sudo make discovery." >&2; exit 1; }

python=$folder/venv/bin/python
[[ -x $python ]] || python3 -m venv "$folder/venv"
"$python" -m pip install -q zeroconf

work=$(mktemp -d)
# shellcheck source=network.sh
. "$here/network.sh"
trap 'end_network; rm -rf "$work"' EXIT
failed=0

# Says whether a command succeeds within some seconds.
check() {
    local what=$1 seconds=$2
    shift 2
    if wait_for "$seconds" "$@"; then
        echo "ok: $what"
    else
        echo "FAILED: $what" >&2
        failed=1
    fi
}

# Whether a program has written a line that matches, from a line on.
has() { grep -qE "$2" <(tail -n "+$(($(cat "$work/mark.$1" 2>/dev/null || echo 0) + 1))" "$work/$1"); }
lacks() { ! has "$@"; }
# From here on only what is written later counts.
mark() { wc -l <"$work/$1" >"$work/mark.$1"; }
is_gone() { ! kill -0 "$1"; }

# Starts a program of the neighbour with an input that stays open. Its name is that of its output.
start_neighbour() {
    local output=$1
    shift
    mkfifo "$work/$output.input"
    # Open here too: writing to it must not wait for a neighbour that has failed.
    exec {held}<>"$work/$output.input"
    start_on cat "$python" -u "$here/neighbour.py" "$@" <>"$work/$output.input" &>"$work/$output"
}

make_computer ann 11
make_computer bob 12
make_computer cat 13
end_daemon cat avahi
mkdir "$work/databases"
export PYTHONDONTWRITEBYTECODE=1

serve=(serve "$work/databases" --host 0.0.0.0 --allow-anyone --read-only --json --advertise Studio)
start_on bob "$settee" peers --follow --json &>"$work/follow"
follower=$process
start_neighbour zeroconf browse 10.213.7.13
start_on ann "$settee" "${serve[@]}" --port 5984 &>"$work/serve"
server=$process

echo "One server"
check "it says the name that others see" 10 has serve '^{"advertisedAs":"Studio"}$'
check "a follower finds it" 10 has follow '"event":"(found|changed)","name":"Studio","url":"http://10.213.7.11:5984/","host":"ann.local"'
check "zeroconf finds it" 10 has zeroconf "^Added Studio 5984 .*b'path': b'/'"
on bob avahi-browse -tpr _settee._tcp >"$work/browse"
check "avahi-browse shows it with its properties" 1 has browse '^=;eth0;IPv4;Studio;_settee._tcp;local;ann.local;10.213.7.11;5984;.*"path=/" "uuid=[0-9a-f]+" "tls=0"'
on bob "$settee" peers --json >"$work/peers"
check "a list has it" 1 has peers '^{"name":"Studio","url":"http://10.213.7.11:5984/".*"addresses":\["10.213.7.11","fd00:213:7::11"'
url=$(sed -nE 's/.*"name":"Studio","url":"([^"]+)".*/\1/p' "$work/peers")
uuid=$(sed -nE 's/.*"name":"Studio".*"uuid":"([^"]+)".*/\1/p' "$work/peers")
check "its URL leads to it, and its UUID is that of the server" 5 eval "on bob curl -fsS '$url' | grep -q '\"uuid\":\"$uuid\"'"

echo "Two servers of one name"
start_on bob "$settee" "${serve[@]}" --port 5985 &>"$work/second"
second=$process
check "the second gets another name" 10 has second '^{"advertisedAs":"Studio #2"}$'
check "a follower finds it" 10 has follow '"(found|changed)","name":"Studio #2","url":"http://10.213.7.12:5985/"'
on bob "$settee" peers >"$work/text"
check "a list has both" 1 eval '[[ $(wc -l <"$work/text") == 2 ]]'
kill -9 "$second"
check "one that is killed is lost" 10 has follow '"lost","name":"Studio #2"'
check "zeroconf loses it, too" 10 has zeroconf '^Removed Studio #2'

echo "Others"
start_on ann avahi-publish -s Other _settee._tcp 80 path=/couch tls=1 &>/dev/null
publisher=$process
check "what avahi-publish says is found" 10 has follow '"(found|changed)","name":"Other","url":"https://10.213.7.11:80/couch/"'
kill "$publisher"
check "and lost" 10 has follow '"lost","name":"Other"'
start_neighbour neighbour advertise 10.213.7.13 Neighbour 81 path=/a uuid=1
check "what zeroconf says is found" 30 has follow '"(found|changed)","name":"Neighbour","url":"http://10.213.7.13:81/a/".*"uuid":"1"'
# Avahi goes on with a record that is younger than a second (RFC 6762, 10.2), and zeroconf does not repeat a change later.
sleep 2
echo path=/b uuid=1 >"$work/neighbour.input"
check "its change is told" 10 has follow '"changed","name":"Neighbour","url":"http://10.213.7.13:81/b/"'
echo >"$work/neighbour.input"
check "and its end" 10 has follow '"lost","name":"Neighbour"'

echo "Daemons that end"
mark follow
mark serve
end_daemon ann avahi
check "a server whose daemon ends is lost" 10 has follow '"lost","name":"Studio"'
start_avahi ann
check "and is found again" 20 has follow '"(found|changed)","name":"Studio"'
check "it says its name again" 10 has serve '"advertisedAs":"Studio"'
mark follow
end_daemon bob avahi
check "a follower whose daemon ends loses all" 10 has follow '"lost","name":"Studio"'
start_avahi bob
check "and finds them again" 20 has follow '"(found|changed)","name":"Studio"'
mark follow
mark serve
end_daemon ann bus
rm -f "$work/ann/bus"
check "the same without a bus" 10 has follow '"lost","name":"Studio"'
kill "$(cat "$work/ann/avahi.pid")" 2>/dev/null || true
start_bus ann
start_avahi ann
check "and with one again" 30 has follow '"(found|changed)","name":"Studio"'

echo "What breaks a rule"
start_neighbour hostile hostile 10.213.7.13
# python-zeroconf refuses names with control characters; Avahi does not.
start_on ann avahi-publish -s $'red \e[31m' _settee._tcp 83 &>/dev/null
start_on ann avahi-publish -s $'line\nbreak' _settee._tcp 84 &>/dev/null
check "a service beside those that break rules is found" 30 has follow '"(found|changed)","name":"fine","url":"http://10.213.7.13:12/db/"'
check "a long record does no harm" 10 has follow '"(found|changed)","name":"much"'
sleep 3
check "they are not told" 1 lacks follow '"(red|line|loopback|no-port|bad|escape|.?.?.?dlihc)'
on bob "$settee" peers >"$work/text"
check "a list for people has no control characters" 1 eval '! LC_ALL=C grep -qP "[\x00-\x08\x0b-\x1f\x7f]" "$work/text"'
echo >"$work/hostile.input"
check "the good one is lost" 10 has follow '"lost","name":"fine"'

echo "A flood"
start_neighbour flood flood 10.213.7.13 700
check "many are found" 120 eval '[[ $(grep -c "\"found\",\"name\":\"flood" "$work/follow") -ge 400 ]]'
sleep 5
check "no more than the limit" 1 eval '[[ $(grep -c "\"found\",\"name\":\"flood" "$work/follow") -le 512 ]]'
check "the follower's memory stays small" 1 eval '[[ $(awk "/VmRSS/ { print \$2 }" /proc/$follower/status) -lt 65536 ]]'
start_on ann avahi-publish -s Late _settee._tcp 82 &>/dev/null
echo >"$work/flood.input"
check "one that came at the limit is found when there is room" 60 has follow '"(found|changed)","name":"Late"'

echo "Ends"
mark follow
kill -INT "$server"
check "a server that ends is lost" 10 has follow '"lost","name":"Studio"'
kill -INT "$follower"
check "an interrupt ends a follower" 5 is_gone "$follower"
wait "$follower" && echo "ok: with status 0" || { echo "FAILED: with status 0" >&2; failed=1; }

echo "Without the library"
library=$(ldconfig -p | sed -nE 's/.*libavahi-client\.so\.3 .*=> //p' | head -1)
unshare -m bash -c 'mount --bind /dev/null "$0" && exec "$1" peers --json' "$(realpath "$library")" "$settee" &>"$work/none" || true
check "it is a 501 that names the packages" 1 has none '"status":501,"code":"notImplemented".*libavahi-client.so.3.*avahi-daemon and libavahi-client3'
exit "$failed"
