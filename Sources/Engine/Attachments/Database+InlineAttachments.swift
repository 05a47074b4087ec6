internal import Foundation
internal import SetteeDocumentValues
package import StorageProtocol

extension Database {
    /// Returns a stored body with the contents of its attachments inline, as `data`, in the form that a write accepts.
    /// Canonical JSON.
    ///
    /// - Throws: `tooLarge` (413) if the result would be longer than a document's text may be; `attachmentNotFound`
    ///   (492).
    package func inliningAttachments(of json: RawSpan) throws(StorageError) -> [UInt8] {
        let stubs = try AttachmentStub.all(in: json)
        guard var object = try JSONValue(parsing: json).objectValue else {
            throw .corrupt("The body of a revision is not a JSON object")
        }
        guard !stubs.isEmpty else { return try object.canonicalBytes() }
        // Base64 makes four bytes from three; the rest of an entry is short.
        let length = stubs.reduce(UInt64(json.byteCount)) { $0 + $1.storedLength / 3 * 4 + 64 }
        guard length < DocumentBody.maximumLength else { throw Database.tooLargeToInline }
        var entries = JSONObject()
        for stub in stubs {
            let reader = try attachmentReader(stub.digest)
            let content = try reader.read(at: 0, count: Int(clamping: reader.length))
            guard var entry = stub.json.objectValue else { continue }
            entry["stub"] = nil
            entry["data"] = .string(Data(content).base64EncodedString())
            entries[stub.name] = .object(entry)
        }
        object["_attachments"] = .object(entries)
        return try object.canonicalBytes()
    }

    private static var tooLargeToInline: StorageError {
        StorageError(
            .tooLarge,
            "A document's attachments do not fit into one line of \(DocumentBody.maximumLength >> 20) MiB. Use --all."
        )
    }
}
