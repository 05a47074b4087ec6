public import StorageProtocol

extension Database {
    /// What was found damaged when the database was opened, such as commits lost with the end of a log. The database
    /// works without them. `check` reports these problems too.
    ///
    /// While there are any, the database is neither copied nor converted, nor are its files rewritten, because another
    /// database would not show that something is missing.
    ///
    /// - Throws: `notOpen` (503).
    public func openingProblems() throws(StorageError) -> [StorageProblem] {
        let generation = try enter()
        defer { leave(generation) }
        return generation.engine.openingProblems
    }

    /// - Throws: `corrupt` (591) if something was lost.
    package func requireNothingLost() throws(StorageError) {
        let problems = try openingProblems()
        guard !problems.isEmpty else { return }
        throw StorageError(
            .corrupt,
            problems.map(\.message).joined(separator: " ")
                + " Until that is done, nothing is made of this database that would not show the loss. "
                + "`settee export --despite-damage` writes what is left."
        )
    }
}
