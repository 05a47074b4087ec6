"""A computer that speaks multicast DNS by python-zeroconf, without Avahi.

neighbour.py browse ADDRESS                     prints a line for each event
neighbour.py advertise ADDRESS NAME PORT K=V... until its input ends; each line of input is a new TXT record
neighbour.py hostile ADDRESS                    advertises services that break rules, and a good one
neighbour.py flood ADDRESS COUNT                advertises many services, until its input ends
"""

import asyncio
import socket
import sys

from zeroconf import IPVersion, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

TYPE = "_settee._tcp.local."


def say(*words):
    print(*words, flush=True)


async def line_of_input():
    return await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


def service(name, address, port, texts, server="neighbour.local."):
    return AsyncServiceInfo(
        TYPE, f"{name}.{TYPE}", addresses=[socket.inet_aton(address)], port=port, properties=texts, server=server
    )


async def browse(zeroconf):
    async def tell(name, change):
        info = AsyncServiceInfo(TYPE, name)
        if change is not ServiceStateChange.Removed:
            await info.async_request(zeroconf.zeroconf, 3000)
        say(change.name, name.removesuffix("." + TYPE), info.port, info.properties)

    def changed(zeroconf, service_type, name, state_change):
        asyncio.ensure_future(tell(name, state_change))

    browser = AsyncServiceBrowser(zeroconf.zeroconf, TYPE, handlers=[changed])
    await line_of_input()
    await browser.async_cancel()


async def advertise(zeroconf, address, name, port, *texts):
    info = service(name, address, int(port), dict(text.split("=", 1) for text in texts))
    await (await zeroconf.async_register_service(info))
    say("registered")
    while line := (await line_of_input()).split():
        info = service(name, address, int(port), dict(text.split("=", 1) for text in line))
        await (await zeroconf.async_update_service(info))
        say("updated")
    await (await zeroconf.async_unregister_service(info))


async def hold(zeroconf, services):
    """Without probes, which would take a second for each."""
    for info in services:
        await zeroconf.async_register_service(info, cooperating_responders=True)
    say("registered")
    await line_of_input()
    await zeroconf.async_unregister_all_services()


async def hostile(zeroconf, address):
    loop = "127.0.0.1"
    await hold(
        zeroconf,
        [
            service("\u202edlihc", address, 3, {}),
            service("bad-path", address, 4, {"path": "//evil.example/"}),
            service("escape-in-path", address, 5, {"path": "/\x1b[2J"}),
            service("bad-tls", address, 6, {"tls": "maybe"}),
            service("bad-uuid", address, 7, {"uuid": "a b"}),
            service("bad-utf-8", address, 8, {"path": b"/\xff"}),
            service("no-port", address, 0, {}),
            service("loopback", loop, 9, {}, "loop.local."),
            service("bad-host", address, 10, {}, "us er@evil.local."),
            service("much", address, 11, {f"key{number}": "v" * 200 for number in range(40)}),
            service("fine", address, 12, {"path": "/db/", "x\x1b": "\x1b[31m"}),
        ],
    )


async def flood(zeroconf, address, count):
    await hold(zeroconf, [service(f"flood {number}", address, 1 + number, {}) for number in range(int(count))])


async def main():
    what, address, *arguments = sys.argv[1:]
    zeroconf = AsyncZeroconf(interfaces=[address], ip_version=IPVersion.V4Only)
    try:
        match what:
            case "browse":
                await browse(zeroconf)
            case "advertise":
                await advertise(zeroconf, address, *arguments)
            case "hostile":
                await hostile(zeroconf, address)
            case "flood":
                await flood(zeroconf, address, *arguments)
    finally:
        await zeroconf.async_close()


asyncio.run(main())
