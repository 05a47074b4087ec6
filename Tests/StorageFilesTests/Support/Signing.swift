import Crypto

/// A text completed like a manifest writer does: with its checksum.
func signed(_ text: String) -> [UInt8] {
    let digest = SHA256.hash(data: Array(text.utf8))
    let digits = digest.map { (byte) -> String in
        let text = String(byte, radix: 16)
        return text.utf8.count == 1 ? "0" + text : text
    }
    return Array((text + #","checksum":""# + digits.joined() + "\"}\n").utf8)
}
