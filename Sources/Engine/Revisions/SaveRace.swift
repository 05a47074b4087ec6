internal import StorageProtocol

/// Tells whoever saves what it has read whether another writer was quicker. An error's code does not: validation
/// functions throw whatever they like.
final class SaveRace {
    /// The revision that was read; nil where there was none.
    private let parent: RevisionID?
    /// Whether that is not the current one any more.
    private(set) var isLost = false

    init(_ parent: RevisionID?) { self.parent = parent }

    /// Notes that no revision can follow `parent`.
    func cannotFollow(_ parent: RevisionID?) {
        if parent == self.parent { isLost = true }
    }
}
