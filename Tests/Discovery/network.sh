# Network namespaces that share a bridge, each with a bus and an Avahi daemon of its own, for run.sh, which sources this.
# Needs root, iproute2, dbus-daemon, avahi-daemon, avahi-browse, avahi-publish.

prefix=sd$$
bridge=$prefix-b
started=()
spaces=()

# Makes computer NAME with the last number of its address.
make_computer() {
    local name=$1 number=$2 folder=$work/$1
    mkdir -p "$folder/run"
    ip netns add "$prefix-$name"
    spaces+=("$prefix-$name")
    ip link add "$prefix$number" type veth peer name eth0 netns "$prefix-$name"
    ip link set "$prefix$number" master "$bridge" up
    ip -n "$prefix-$name" link set lo up
    ip -n "$prefix-$name" address add "10.213.7.$number/24" dev eth0
    ip -n "$prefix-$name" address add "fd00:213:7::$number/64" dev eth0 nodad
    ip -n "$prefix-$name" link set eth0 up
    ip -n "$prefix-$name" route add default via 10.213.7.1 dev eth0
    # The policy of a test: everybody on this bus may do everything.
    cat >"$folder/bus.conf" <<CONF
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=$folder/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
    <allow send_type="method_call"/>
  </policy>
</busconfig>
CONF
    cat >"$folder/avahi.conf" <<CONF
[server]
host-name=$name
use-ipv4=yes
use-ipv6=yes
allow-interfaces=eth0
[publish]
publish-workstation=no
publish-hinfo=no
[rlimits]
CONF
    start_bus "$name"
    start_avahi "$name"
}

# Runs a command on computer NAME.
on() {
    local name=$1
    shift
    DBUS_SYSTEM_BUS_ADDRESS=unix:path=$work/$name/bus ip netns exec "$prefix-$name" "$@"
}

# The same in the background; `process` is then the process ID of the command itself.
start_on() {
    local name=$1
    shift
    # Without its own redirection a command in the background would have no input.
    DBUS_SYSTEM_BUS_ADDRESS=unix:path=$work/$name/bus ip netns exec "$prefix-$name" "$@" <&0 &
    process=$!
    started+=("$process")
}

start_bus() {
    start_on "$1" dbus-daemon --config-file="$work/$1/bus.conf" --nofork --nopidfile &>"$work/$1/bus.log"
    echo "$process" >"$work/$1/bus.pid"
    wait_for 10 test -S "$work/$1/bus"
}

# It keeps a file of its process and a socket in /run/avahi-daemon, so each has a folder of its own in that place.
start_avahi() {
    start_on "$1" unshare -m bash -c 'mkdir -p /run/avahi-daemon && mount --bind "$0" /run/avahi-daemon &&
        exec avahi-daemon --no-chroot --no-drop-root --no-rlimits -f "$1"' \
        "$work/$1/run" "$work/$1/avahi.conf" &>"$work/$1/avahi.log"
    echo "$process" >"$work/$1/avahi.pid"
    wait_for 20 grep -q 'Server startup complete' "$work/$1/avahi.log"
}

# Ends the daemon FILE (bus or avahi) of computer NAME. `ip netns exec` and `unshare` have become it.
end_daemon() {
    local process
    process=$(cat "$work/$1/$2.pid")
    kill "$process"
    wait "$process" 2>/dev/null || true
}

# Tries a command for some seconds.
wait_for() {
    local seconds=$1 end
    shift
    end=$((SECONDS + seconds))
    until "$@" 2>/dev/null; do
        [[ $SECONDS -lt $end ]] || return 1
        sleep 0.1
    done
}

end_network() {
    local process space
    for process in "${started[@]-}"; do kill "$process" 2>/dev/null || true; done
    wait "${started[@]}" 2>/dev/null || true
    for space in "${spaces[@]}"; do ip netns delete "$space" || true; done
    ip link delete "$bridge" || true
}

ip link add "$bridge" type bridge
# Multicast goes everywhere at once.
ip link set "$bridge" type bridge mcast_snooping 0
ip link set "$bridge" up
