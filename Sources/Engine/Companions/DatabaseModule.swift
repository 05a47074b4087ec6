/// A module above Engine that takes part in the work of databases, passed where they are opened:
/// `Manager(directory:options:engines:modules:)`.
public struct DatabaseModule: Sendable {
    let indexKeeper: (any IndexKeeper)?
    package let foreignDatabases: (any ForeignDatabaseKind)?
    let attachmentDigest: (@Sendable ([UInt8]) -> [UInt8])?

    /// - Parameters:
    ///   - indexKeeper: maintains indexes.
    ///   - foreignDatabases: the databases that `Manager.replaceDatabase(named:from:)` accepts beside those of Settee.
    ///   - attachmentDigest: maps SHA-1s of attachments' contents to other digests. A test of equal digests needs it.
    package init(
        indexKeeper: (any IndexKeeper)? = nil,
        foreignDatabases: (any ForeignDatabaseKind)? = nil,
        attachmentDigest: (@Sendable ([UInt8]) -> [UInt8])? = nil
    ) {
        self.indexKeeper = indexKeeper
        self.foreignDatabases = foreignDatabases
        self.attachmentDigest = attachmentDigest
    }
}
