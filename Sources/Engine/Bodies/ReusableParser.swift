internal import SetteeDocumentValues
internal import StorageProtocol

/// A parser that is reused for stored bodies, with the checks that `check` makes of them.
final class ReusableParser {
    enum BodyState {
        case notJSON
        case notCanonical
        /// An entry of an attachment is malformed.
        case badAttachment
        case good([AttachmentStub])
    }

    private var parser = JSONParser()

    func state(of body: RawSpan) -> BodyState {
        guard (try? parser.parse(body)) != nil, let root = parser.root, parser.kind(of: root) == .object else {
            return .notJSON
        }
        guard parser.isCanonical(root) || isRewritten(body, root) else { return .notCanonical }
        guard parser.hasReservedMembers, let node = parser.member("_attachments", of: root) else { return .good([]) }
        guard let entries = parser.value(of: node).objectValue else { return .badAttachment }
        var stubs: [AttachmentStub] = []
        for (name, value) in entries {
            guard let stub = try? AttachmentStub(name, stored: value) else { return .badAttachment }
            stubs.append(stub)
        }
        return .good(stubs)
    }

    /// Whether writing the value again gives the same text. The parser alone cannot recognise all canonical numbers.
    private func isRewritten(_ body: RawSpan, _ root: JSONNode) -> Bool {
        var canonical: [UInt8] = []
        canonical.reserveCapacity(body.byteCount)
        parser.writeCanonical(root, into: &canonical)
        return unsafe compareBytes(canonical.span.bytes, body) == 0
    }
}
