/// What changed in a model since its observers were told.
struct ModelChanges: Sendable {
    /// The properties whose values are others now.
    var names: [String] = []
    /// Whether what the whole value is made of changed, whatever the names.
    var isWhole = false
    /// Whether the edits are others: what a save would write, or what the database holds.
    var areEdits = false
    /// Whether the revision, or whether there is one, changed.
    var isStatus = false

    var isEmpty: Bool { names.isEmpty && !isWhole && !areEdits && !isStatus }
}
