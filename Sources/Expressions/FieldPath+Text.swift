internal import SetteeDocumentValues
package import StorageProtocol

extension FieldPath {
    /// Parses the path to a field of a document as selectors write it: names are separated by points, and `\.` is a
    /// point in a name.
    ///
    /// - Throws: `badRequest` (400) if a name is empty, or the path has more than `MangoSelector.maximumPathLength`
    ///   bytes.
    package init(mango text: String) throws(StorageError) {
        let path = Array(text.utf8)
        guard path.count <= MangoSelector.maximumPathLength else { throw SelectorFault.longPath(path) }
        try self.init(path, fromDocument: true)
    }

    /// The path as a selector writes it. Equal paths have one text.
    package var text: String {
        var text: [UInt8] = []
        for (index, name) in names.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ".")) }
            // It would be an operator.
            if index == 0, name.first == UInt8(ascii: "$") { text.append(UInt8(ascii: "\\")) }
            for byte in name {
                if byte == UInt8(ascii: ".") { text.append(UInt8(ascii: "\\")) }
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether its values are compared in the raw order (`Collator.raw`), not in that of Unicode.
    package var comparesRaw: Bool { special == .id }

    /// Passes the text of the field's value in a document. Returns nil if the field is missing.
    ///
    /// - Parameters: As those of `MangoSelector.matches`.
    package func withValue<R>(
        of body: RawSpan,
        id: DocumentID,
        revision: RevisionID,
        isDeleted: Bool = false,
        _ use: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        if let text = ownText(id, revision, isDeleted) {
            return try count == 1 ? unsafe use(text.span.bytes) : nil
        }
        guard let range = range(in: body) else { return nil }
        return try use(body.extracting(range))
    }

    /// Returns the text of a member that is not part of the body.
    private func ownText(_ id: DocumentID, _ revision: RevisionID, _ isDeleted: Bool) -> [UInt8]? {
        switch special {
        case .id: MangoSelector.text(id.string)
        case .revision: MangoSelector.text(revision.string)
        case .deleted where isDeleted: Array("true".utf8)
        default: nil
        }
    }
}
