/// A module above Engine that takes part in the work of databases, passed where they are opened:
/// `Manager(directory:options:engines:modules:)`.
public struct DatabaseModule: Sendable {
    let indexKeeper: (any IndexKeeper)?
    let foreignDatabases: (any ForeignDatabaseKind)?

    /// - Parameters:
    ///   - indexKeeper: maintains indexes.
    ///   - foreignDatabases: the databases that `Manager.replaceDatabase(named:from:)` accepts beside those of Settee.
    package init(
        indexKeeper: (any IndexKeeper)? = nil,
        foreignDatabases: (any ForeignDatabaseKind)? = nil
    ) {
        self.indexKeeper = indexKeeper
        self.foreignDatabases = foreignDatabases
    }
}
