/// Linux's messages about interfaces, addresses and routes, as bytes: `struct sockaddr_nl`, `struct nlmsghdr`.
enum RoutingMessages {
    /// `NETLINK_ROUTE`
    static let protocolNumber: Int32 = 0

    /// Links, and addresses and routes of IPv4 and IPv6: `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR` and so on.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    /// The `sockaddr_nl` that asks for them: the family, two bytes of nothing, the port (the kernel chooses), the
    /// groups.
    static var address: [UInt8] { bytes(UInt16(16)) + [0, 0] + bytes(UInt32(0)) + bytes(groups) }

    /// `RTM_NEWLINK`, `RTM_DELLINK`, `RTM_NEWADDR`, `RTM_DELADDR`, `RTM_NEWROUTE`, `RTM_DELROUTE`
    private static let types: Set<UInt16> = [16, 17, 20, 21, 24, 25]
    private static let headerLength = 16

    /// Whether one of the messages tells that something has changed. What is cut short or malformed ends the list.
    static func tellOfChange(_ messages: ArraySlice<UInt8>) -> Bool {
        var rest = messages
        while rest.count >= headerLength {
            let length = Int(number(rest.prefix(4)) as UInt32)
            guard length >= headerLength, length <= rest.count else { return false }
            if types.contains(number(rest.dropFirst(4).prefix(2))) { return true }
            // Each begins at a multiple of four.
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return false
    }

    // Numbers are in this computer's order of bytes.

    private static func bytes<N: FixedWidthInteger>(_ number: N) -> [UInt8] {
        (0..<N.bitWidth / 8).map { UInt8(truncatingIfNeeded: number.littleEndian >> (8 * $0)) }
    }

    private static func number<N: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> N {
        N(littleEndian: bytes.reversed().reduce(0) { $0 << 8 | N(truncatingIfNeeded: $1) })
    }
}
