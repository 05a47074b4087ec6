internal import SetteeCouchProtocol
internal import SetteeSystemLibrary

/// An address, or a whole network of IPv6 (/64), whose owner has all of its addresses.
struct AddressGroup: Sendable {
    let text: TargetText

    /// - Parameter address: An IPv4 or IPv6 address. Other text, as the path of a socket, stands for itself; of long
    ///   text the first 64 bytes.
    init(_ address: String) {
        let text = String(decoding: address.utf8.prefix(64).prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
        var bytes = in6_addr()
        guard !text.utf8.contains(0), unsafe inet_pton(AF_INET6, text, &bytes) == 1 else {
            self.text = TargetText(text)
            return
        }
        let all = unsafe withUnsafeBytes(of: &bytes) { unsafe Array($0) }
        if all.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) {
            self.text = TargetText(all.suffix(4).map { String($0) }.joined(separator: "."))
        } else {
            self.text = TargetText(all.prefix(8).map { String($0, radix: 16) }.joined(separator: "-") + "/64")
        }
    }
}
