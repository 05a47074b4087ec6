internal import Testing

@testable internal import SetteeDiscovery

/// Addresses that a network tells.
@Suite struct PeerAddressTests {
    private func address(_ bytes: [UInt8], on interface: String = "eth0") -> PeerAddress? {
        PeerAddress(bytes: bytes, interfaceName: interface)
    }

    private func ipv6(_ first: [UInt8], _ last: [UInt8] = []) -> [UInt8] {
        first + [UInt8](repeating: 0, count: 16 - first.count - last.count) + last
    }

    @Test("those of one computer are taken, in the form of a URL")
    func taken() {
        #expect(address([10, 0, 0, 1])?.inURL == "10.0.0.1")
        #expect(address([169, 254, 1, 1])?.inURL == "169.254.1.1")
        #expect(address(ipv6([0x20, 0x01, 0x0D, 0xB8], [1]))?.inURL == "[2001:db8::1]")
        let local = address(ipv6([0xFE, 0x80], [1]))
        #expect(local?.text == "fe80::1%eth0")
        #expect(local?.inURL == nil)
    }

    @Test("none, groups, broadcasts, and IPv4 inside IPv6 are refused")
    func refused() {
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]
        let others: [[UInt8]] = [
            [], [1, 2, 3], [UInt8](repeating: 1, count: 17), [0, 0, 0, 0], [224, 0, 0, 251], [255, 255, 255, 255],
            ipv6([]), ipv6([0xFF, 0x02], [0xFB]), mapped, ipv6([], [127, 0, 0, 1]),
        ]
        for bytes in others { #expect(address(bytes) == nil, "\(bytes)") }
    }

    @Test("a network cannot send us to this computer's own services")
    func loopback() {
        for bytes in [[127, 0, 0, 1], [127, 9, 9, 9], ipv6([], [1])] {
            #expect(address(bytes) == nil)
            #expect(address(bytes, on: "lo") != nil)
        }
    }
}
