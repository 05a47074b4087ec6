/// A host and its port, as the Host header has them.
struct Authority: Sendable, Hashable {
    let host: HostName
    /// Nil if none is written.
    let port: UInt16?

    /// Nil for what is no host with or without a port. User names (`localhost@evil.example`) are refused.
    init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard let last = bytes.lastIndex(of: UInt8(ascii: ":")), bytes[last...].contains(UInt8(ascii: "]")) == false
        else {
            guard let host = HostName(bytes) else { return nil }
            self.host = host
            port = nil
            return
        }
        let digits = bytes[(last + 1)...]
        guard let host = HostName(bytes[..<last]), 1...5 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.host = host
        self.port = port
    }
}
