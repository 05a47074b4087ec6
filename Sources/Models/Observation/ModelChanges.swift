/// The changes of a model that its observers have not been told yet.
struct ModelChanges: Sendable {
    /// The properties whose values have changed.
    var names: [String] = []
    /// Whether the properties have changed as a whole, whatever the names.
    var isWhole = false
    /// Whether the edits have changed: what a save would write, or what the database holds.
    var areEdits = false
    /// Whether the revision has changed, or whether there is one.
    var isStatus = false

    var isEmpty: Bool { names.isEmpty && !isWhole && !areEdits && !isStatus }
}
