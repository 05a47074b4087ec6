internal import Crypto
internal import SetteeDocumentValues
internal import StorageProtocol

/// Tells definitions apart: 32 hexadecimal digits, the beginning of a SHA-256 of their canonical text.
enum DesignHash {
    static func text(_ parts: [JSONValue]) throws(StorageError) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in SHA256.hash(data: try JSONValue.array(parts).canonicalBytes()).prefix(16) {
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
