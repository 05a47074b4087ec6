public import StorageProtocol

extension JSONParser {
    /// Appends the canonical text of the value at `node` to `bytes`.
    public func writeCanonical(_ node: JSONNode, into bytes: inout [UInt8]) {
        let word = word(of: node)
        if JSONTape.isCanonical(word) {
            text.view.append(JSONTape.range(word), to: &bytes)
        } else {
            let length = JSONTapeWriter(self).write(Int(node.index), self)
            output.view.append(0..<length, to: &bytes)
        }
    }

    /// Appends the stored form of a document to `bytes`: the canonical text of the top object without its members whose
    /// name begins with `_`, except `_attachments`.
    ///
    /// - Throws: `badJSON` (493) if the top value is not an object.
    public func writeDocumentBody(into bytes: inout [UInt8]) throws(StorageError) {
        guard let root, kind(of: root) == .object else {
            throw StorageError(.badJSON, "A document must be a JSON object. Put other values into a member of one.")
        }
        if !hasReservedMembers { return writeCanonical(root, into: &bytes) }
        let length = JSONTapeWriter(self).writeBody(self)
        output.view.append(0..<length, to: &bytes)
    }

    /// Whether a name is omitted from stored bodies.
    func isLeftOut(_ word: UInt64) -> Bool {
        isReserved(word) && !"_attachments".withUTF8Bytes { isName(word, equalTo: $0) }
    }
}
