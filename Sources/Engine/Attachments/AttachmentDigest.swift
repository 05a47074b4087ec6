internal import Foundation
internal import SetteeDocumentValues

/// The digest of an attachment's stored bytes, as entries write it: `sha1-` or `md5-` and base64.
package struct AttachmentDigest: Hashable, Sendable {
    package enum Kind: String {
        case sha1 = "sha1-"
        case md5 = "md5-"

        /// The number of bytes in the digest.
        var count: Int {
            switch self {
            case .sha1: 20
            case .md5: 16
            }
        }
    }

    package let kind: Kind
    package let bytes: [UInt8]

    package init(_ kind: Kind, _ bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// Nil if the text is not a digest of a known kind.
    package init?(_ text: String) {
        guard let kind = [Kind.sha1, .md5].first(where: { text.utf8.starts(with: $0.rawValue.utf8) }),
            let bytes = Base64.decode(String(text.dropFirst(kind.rawValue.count))), bytes.count == kind.count
        else { return nil }
        self.init(kind, bytes)
    }

    package var text: String { kind.rawValue + Data(bytes).base64EncodedString() }
}
