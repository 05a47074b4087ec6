internal import StorageProtocol

/// Records whether another writer changed the document between reading and saving it. An error's code is not enough for
/// that, because validation functions throw errors of any kind.
package final class SaveRace {
    /// The revision that was read; nil if there was none.
    private let parent: RevisionID?
    /// Whether that revision is no longer the current one.
    private(set) var isLost = false

    init(_ parent: RevisionID?) { self.parent = parent }

    /// Notes that no revision can follow `parent`.
    func cannotFollow(_ parent: RevisionID?) {
        if parent == self.parent { isLost = true }
    }
}
