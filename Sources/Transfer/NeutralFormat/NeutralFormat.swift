internal import Foundation
internal import SetteeEngine
internal import StorageProtocol

/// The elements of the neutral export; docs/reference/neutral-export.md describes it.
enum NeutralFormat {
    /// The version that is written, and the only one that can be read.
    static let version: UInt64 = 1
    /// The beginning of the first line in every version.
    static let beginning = Array(#"{"settee":"export","#.utf8)
    /// The first line.
    static let header = Array("{\"settee\":\"export\",\"version\":\(version)}".utf8)
    /// Bytes of an attachment's content in one line.
    static let chunkLength = 1 << 18
    /// The longest line, in bytes, without its line feed.
    static let lineLimit = 64 << 20

    static let storeStart = Array(#"{"store":"#.utf8)
    static let bodyStart = Array(#"{"body":"#.utf8)
    static let chunkStart = Array(#"{"chunk":""#.utf8)
    static let chunkEnd = Array(#""}"#.utf8)

    /// Whether an info value identifies this very database. It is exported, but is not content.
    static func isIdentity(_ key: String) -> Bool {
        [InfoKey.publicUUID, InfoKey.privateUUID, InfoKey.previousPrivateUUID].contains {
            $0.utf8.elementsEqual(key.utf8)
        }
    }

    /// Whether an info value is part of the content. The values that identify this very database are not. Nor are those
    /// that are not exported: the originals of its original, the trace of forgotten purges, which is a sequence, and
    /// records of views' indexes.
    static func isContent(_ key: String) -> Bool {
        !isIdentity(key) && !key.utf8.elementsEqual(StoredChanges.forgottenKey.utf8)
            && !key.utf8.elementsEqual(InfoKey.earlierPrivateUUIDs.utf8) && !InfoKey.isOfIndexes(key)
    }

    /// Bits in `flags`.
    static let flagBody: UInt64 = 2
    static let flagAttachments: UInt64 = 4
}

/// Bytes in the texts of an export.
enum NeutralText {
    static func append(base64 value: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: Data(value).base64EncodedData())
        bytes.append(UInt8(ascii: "\""))
    }

    /// Decodes base64, nil if the text is not exactly what an encoder writes.
    static func bytes(base64 text: [UInt8]) -> [UInt8]? {
        guard let data = Data(base64Encoded: Data(text)), data.base64EncodedData().elementsEqual(text) else {
            return nil
        }
        return Array(data)
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Decodes lower-case hexadecimal digits, nil for any other text.
    static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x61...0x66: byte - 0x61 + 10
            default: 16
            }
        }
        guard digits.count % 2 == 0, digits.allSatisfy({ $0 < 16 }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
