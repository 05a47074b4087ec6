internal import SetteeEngine
internal import StorageProtocol

/// Everything that decides which rows an index has, except the version of its order. Indexes of the same version have
/// the same rows. The kinds of indexes make the texts.
package struct IndexVersion: Sendable, Equatable {
    /// The version as it is stored.
    package let text: String

    package init(stored text: String) { self.text = text }

    package static func == (a: IndexVersion, b: IndexVersion) -> Bool {
        unsafe compareBytes(a.text.utf8Span.span.bytes, b.text.utf8Span.span.bytes) == 0
    }
}
