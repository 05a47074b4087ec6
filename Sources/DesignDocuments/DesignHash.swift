internal import Crypto
internal import SetteeDocumentValues
internal import StorageProtocol

/// Tells definitions apart: 32 hexadecimal digits, the beginning of a SHA-256 of their canonical text.
enum DesignHash {
    static func text(_ parts: [JSONValue]) throws(StorageError) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in digest(try JSONValue.array(parts).canonicalBytes()) {
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The first 16 bytes of a SHA-256.
    static func digest(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(16)) }
}
