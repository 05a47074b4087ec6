internal import SetteeSystemLibrary

/// An address at which a peer may be reached.
struct PeerAddress: Hashable, Sendable {
    /// How far an address reaches, the best first.
    enum Reach: Int, Comparable {
        case ipv4, ipv6, linkLocalIPv4, linkLocalIPv6, loopback

        static func < (left: Reach, right: Reach) -> Bool { left.rawValue < right.rawValue }
    }

    let reach: Reach
    /// Such as `192.0.2.1`, `2001:db8::1`, `fe80::1%eth0`.
    let text: String

    /// - Returns: nil for what is no address of one other computer: groups, broadcasts, none, and loopback addresses
    ///   that a network tells.
    init?(bytes: [UInt8], interfaceName: String) {
        let reach: Reach? =
            switch bytes.count {
            case 4: PeerAddress.reach(ipv4: bytes)
            case 16: PeerAddress.reach(ipv6: bytes)
            default: nil
            }
        guard let reach, reach != .loopback || interfaceName == "lo" else { return nil }
        guard let text = PeerAddress.format(bytes) else { return nil }
        if reach == .linkLocalIPv6 {
            guard !interfaceName.isEmpty else { return nil }
            self.text = "\(text)%\(interfaceName)"
        } else {
            self.text = text
        }
        self.reach = reach
    }

    /// The form in a URL; nil where a URL cannot say it.
    var inURL: String? {
        switch reach {
        case .linkLocalIPv6: nil
        case .ipv6, .loopback: text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]" : text
        case .ipv4, .linkLocalIPv4: text
        }
    }

    private static func reach(ipv4 bytes: [UInt8]) -> Reach? {
        switch bytes[0] {
        case 0, 224...255: nil
        case 127: .loopback
        case 169 where bytes[1] == 254: .linkLocalIPv4
        default: .ipv4
        }
    }

    private static func reach(ipv6 bytes: [UInt8]) -> Reach? {
        if bytes.dropLast().allSatisfy({ $0 == 0 }) { return bytes[15] == 1 ? .loopback : nil }
        // IPv4 in another dress, which would go round the rules for IPv4.
        if bytes.prefix(10).allSatisfy({ $0 == 0 }) { return nil }
        if bytes[0] == 0xFF { return nil }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 ? .linkLocalIPv6 : .ipv6
    }

    private static func format(_ bytes: [UInt8]) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            let family = bytes.count == 4 ? AF_INET : AF_INET6
            let isDone = unsafe bytes.withUnsafeBytes { bytes in
                unsafe inet_ntop(family, bytes.baseAddress!, text.baseAddress!, socklen_t(text.count)) != nil
            }
            return isDone ? unsafe String(cString: text.baseAddress!) : nil
        }
    }
}
