internal import Foundation
internal import StorageProtocol

/// A parser that is kept between stored bodies, with the questions that checking asks of them.
final class ReusableParser {
    enum BodyState {
        case notJSON
        case notCanonical
        /// With the SHA-1 digests of the attachments it refers to.
        case good(digests: [[UInt8]])
    }

    private var parser = JSONParser()

    func state(of body: RawSpan) -> BodyState {
        guard (try? parser.parse(body)) != nil, let root = parser.root, parser.kind(of: root) == .object else {
            return .notJSON
        }
        guard parser.isCanonical(root) || isRewritten(body, root) else { return .notCanonical }
        guard parser.hasReservedMembers, let entries = parser.member("_attachments", of: root) else {
            return .good(digests: [])
        }
        let digests = parser.value(of: entries).objectValue?.compactMap { entry -> [UInt8]? in
            guard let text = entry.value["digest"]?.stringValue, text.hasPrefix("sha1-") else { return nil }
            return Data(base64Encoded: String(text.dropFirst(5))).map { Array($0) }
        }
        return .good(digests: digests ?? [])
    }

    /// Whether writing the value anew yields the same text: the parser does not know all canonical numbers at sight.
    private func isRewritten(_ body: RawSpan, _ root: JSONNode) -> Bool {
        var canonical: [UInt8] = []
        canonical.reserveCapacity(body.byteCount)
        parser.writeCanonical(root, into: &canonical)
        return unsafe compareBytes(canonical.span.bytes, body) == 0
    }
}
