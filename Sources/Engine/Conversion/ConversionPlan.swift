internal import SetteeStorageFiles
public import StorageProtocol

/// What a conversion would do.
public struct ConversionPlan: Sendable, Equatable {
    /// The database's current engine.
    public var from: StorageType
    /// Its engine after the conversion: with a key, `.sqlcipher` for `.sqlite`.
    public var to: StorageType
    /// Whether anything would be done: false if the database already is as requested.
    public var isNeeded: Bool
    /// Whether it would be encrypted afterwards.
    public var isEncrypted: Bool
    /// Documents that are not deleted.
    public var documents: UInt64
    /// Bytes of attachments' contents that would be encrypted or decrypted; 0 if their files stay.
    public var attachmentBytes: UInt64
    /// Bytes that must be free on the disk during the conversion.
    public var bytesNeeded: UInt64
    /// Bytes that are free now; nil if they cannot be determined.
    public var bytesFree: UInt64?
    /// How many indexes of views would be rebuilt, because their first build is not complete.
    public var indexesToBuild: Int

    /// Whether the disk has enough room.
    public var hasRoom: Bool { bytesFree.map { $0 >= bytesNeeded } ?? true }
}

extension ConversionPlan {
    init(_ request: ConversionRequest, for database: Database) throws(StorageError) {
        let present = database.setup
        let target = try request.target(for: database)
        let generation = try database.enter()
        defer { database.leave(generation) }
        let figures = try generation.engine.statistics()
        var contents: (bytes: UInt64, count: UInt64) = (0, 0)
        var live: UInt64 = 0
        var unfinished: Set<[UInt8]> = []
        try generation.engine.read { (transaction) throws(StorageError) in
            live = try transaction.counters().liveDocuments
            unfinished = try database.store.indexKeeper.unfinishedIndexes(in: transaction)
            if target?.hasOtherContents == true { contents = try DatabaseConversion.contents(in: transaction) }
        }
        documents = live
        indexesToBuild = unfinished.count
        from = present.factory.storageType
        to = target?.setup.factory.storageType ?? from
        attachmentBytes = contents.bytes
        isNeeded = target != nil
        isEncrypted = (target?.setup ?? present).isEncrypted
        bytesNeeded =
            target?.bytesNeeded(figures, compression: generation.engine.compression, contents: contents) ?? 0
        bytesFree = database.folder.flatMap { database.compactor.space.freeBytes(at: $0.path) }
    }
}
