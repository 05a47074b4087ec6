internal import SetteeDocumentValues
package import StorageProtocol

/// The stored form of a local document's revision: its ID as text, a space, and a checksum of ID and body in eight
/// hexadecimal digits.
package enum LocalRevision {
    private static let checksumLength = 9

    package static func stored(_ id: RevisionID, _ json: RawSpan) -> [UInt8] {
        var bytes: [UInt8] = []
        id.append(to: &bytes)
        bytes.append(contentsOf: checksum(id, json))
        return bytes
    }

    /// - Throws: `corrupt` (591).
    package static func id(stored text: RawSpan) throws(StorageError) -> RevisionID {
        try RevisionID(stored: text.extracting(0..<max(0, text.byteCount - checksumLength)))
    }

    /// Whether a stored revision is valid and belongs to `json`.
    package static func isIntact(_ text: RawSpan, _ json: RawSpan) -> Bool {
        guard let id = try? id(stored: text) else { return false }
        return unsafe compareBytes(text, stored(id, json).span.bytes) == 0
    }

    private static func checksum(_ id: RevisionID, _ json: RawSpan) -> [UInt8] {
        let number = RevisionChecksum.ofBody(json, id: id, isDeleted: false)
        let digits = String(number, radix: 16)
        return Array((" " + String(repeating: "0", count: 8 - digits.utf8.count) + digits).utf8)
    }
}
