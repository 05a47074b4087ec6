internal import SetteeSystemLibrary

/// A host as Host and Origin have it, without the port: a name, an IPv4 address, or an IPv6 address in brackets.
struct HostName: Sendable, Hashable {
    /// In lower case, without the dot at the end of a name; an IPv6 address as its 16 bytes write it.
    let text: String
    let kind: Kind

    enum Kind: Sendable {
        case name
        case address
    }

    /// Whether the host is this machine's loopback: `localhost`, 127.0.0.0/8 or ::1.
    let isLoopback: Bool

    /// Reads a host without port. Nil for what is none: blanks, user names, paths, and the other ways to write an IPv4
    /// address (`127.1`, `0x7f000001`), which browsers do not send.
    init?(_ bytes: some Collection<UInt8>) {
        guard 1...255 ~= bytes.count else { return nil }
        let lower = bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        if lower.first == UInt8(ascii: "[") {
            guard lower.last == UInt8(ascii: "]"), let address = HostName.sixteen(lower.dropFirst().dropLast()) else {
                return nil
            }
            let pieces = stride(from: 0, to: 16, by: 2).map {
                String(Int(address[$0]) << 8 | Int(address[$0 + 1]), radix: 16)
            }
            self.init("[\(pieces.joined(separator: ":"))]", .address, address == HostName.loopback)
            return
        }
        if let four = HostName.four(lower) {
            self.init(String(decoding: lower, as: UTF8.self), .address, four[0] == 127)
            return
        }
        var labels = lower.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        // A number at the end makes it an address for browsers.
        guard labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(HostName.isOfName) }), let last = labels.last,
            !last.allSatisfy({ 0x30...0x39 ~= $0 }), !last.starts(with: "0x".utf8)
        else { return nil }
        let text = labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
        self.init(text, .name, text.utf8.elementsEqual("localhost".utf8))
    }

    private init(_ text: String, _ kind: Kind, _ isLoopback: Bool) {
        self.text = text
        self.kind = kind
        self.isLoopback = isLoopback
    }

    private static let loopback = [UInt8](repeating: 0, count: 15) + [1]

    private static func isOfName(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte || 0x30...0x39 ~= byte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// Four decimal numbers without leading zeros.
    private static func four(_ bytes: [UInt8]) -> [UInt8]? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let numbers = parts.compactMap { part -> UInt8? in
            guard 1...3 ~= part.count, part.allSatisfy({ 0x30...0x39 ~= $0 }), part.count == 1 || part.first != 0x30
            else { return nil }
            return UInt8(String(decoding: part, as: UTF8.self))
        }
        return numbers.count == 4 ? numbers : nil
    }

    private static func sixteen(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard 2...45 ~= bytes.count, !bytes.contains(0) else { return nil }
        var address = in6_addr()
        guard unsafe inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1 else { return nil }
        return unsafe withUnsafeBytes(of: &address) { unsafe Array($0) }
    }
}
