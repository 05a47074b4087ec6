"""A line between two network namespaces that delays packets and loses some, for machines whose kernel has no netem.

Each namespace gets a TUN device; a process carries packets between the two. As root.
"""
import collections
import ctypes
import fcntl
import multiprocessing
import os
import random
import select
import struct
import subprocess
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
ENDS = ("10.213.9.1", "10.213.9.2")


class Link:
    """
    - delay: seconds that each packet takes.
    - loss: the share of the packets that is lost, in each direction.
    - control: how TCP controls congestion: one of `sysctl net.ipv4.tcp_allowed_congestion_control`.
    """

    def __init__(self, delay, loss, control="reno"):
        self.names = [f"settee-{os.getpid()}-{end}" for end in "ab"]
        for name in self.names:
            subprocess.run(["ip", "netns", "add", name], check=True)
        # Bytes that have left each end, also those of packets that are lost.
        self.bytes = multiprocessing.Array("Q", 2)
        ready = multiprocessing.Event()
        arguments = (self.names, delay, loss, self.bytes, ready)
        self.process = multiprocessing.Process(target=carry, args=arguments, daemon=True)
        self.process.start()
        ready.wait(10)
        for name, own in zip(self.names, ENDS):
            for command in (f"ip addr add {own}/24 dev tun0", "ip link set tun0 up mtu 1500 txqueuelen 10000",
                            "ip link set lo up", f"sysctl -qw net.ipv4.tcp_congestion_control={control}"):
                subprocess.run(["ip", "netns", "exec", name, *command.split()], check=True)

    def on(self, end, command):
        return ["ip", "netns", "exec", self.names[end], *command]

    def moved(self):
        return list(self.bytes)

    def stop(self):
        self.process.terminate()
        self.process.join()
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name])


def device(name):
    """A TUN device in a namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{name}") as namespace:
        if libc.setns(namespace.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"tun0", IFF_TUN | IFF_NO_PI))
    return tun


def carry(names, delay, loss, moved, ready):
    ends = [device(name) for name in names]
    ready.set()
    poll, chosen = select.epoll(), random.Random(1)
    for end in ends:
        poll.register(end, select.EPOLLIN)
    waiting = [collections.deque(), collections.deque()]
    while True:
        due = min((queue[0][0] for queue in waiting if queue), default=None)
        for file, _ in poll.poll(None if due is None else max(0, due - time.monotonic())):
            end = ends.index(file)
            receive(file, waiting[end], end, delay, loss, moved, chosen)
        now = time.monotonic()
        for end, queue in enumerate(waiting):
            while queue and queue[0][0] <= now:
                try:
                    os.write(ends[1 - end], queue.popleft()[1])
                except OSError:
                    pass  # A full queue, or a device that is not up yet.


def receive(file, queue, end, delay, loss, moved, chosen):
    for _ in range(64):
        try:
            packet = os.read(file, 2000)
        except BlockingIOError:
            return
        moved[end] += len(packet)
        if chosen.random() >= loss:
            queue.append((time.monotonic() + delay, packet))
