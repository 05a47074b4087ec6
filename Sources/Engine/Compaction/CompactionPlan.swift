internal import SetteeStorageFiles
internal import StorageProtocol

/// How the files of a database will be compacted, known before anything is dropped.
enum CompactionPlan {
    /// They are copied, and the copy takes their place.
    case rewrite
    /// The engine does it in place.
    case byItself
    /// They stay as they are; why, where there are any.
    case none(String?)

    /// Looks whether all that the engine's way needs is there. Others may open the database after that, and prevent it.
    ///
    /// - Throws: `notImplemented` (501) where the engine cannot do what it declares; `full` (507) where the disk has no
    ///   room for a copy.
    init(for database: Database) throws(StorageError) {
        let capabilities = database.setup.capabilities
        switch capabilities.compaction {
        case .copying, .inSteps:
            guard let folder = database.folder else {
                self = .none(nil)
                return
            }
            guard capabilities.canCopy || capabilities.compaction == .inSteps else {
                throw StorageError(
                    .notImplemented,
                    "Databases of type '\(database.storageType)' are compacted by copying them, which their engine "
                        + "cannot do."
                )
            }
            // Where others have it open, the result says so in the end, and room is not the question.
            if try folder.isAlone() { try database.requireRoomToRewrite(folder) }
            self = .rewrite
        case .byItself:
            self = .byItself
        default:
            let isInMemory = capabilities.location == .memory
            self = .none(isInMemory ? nil : "Databases of type '\(database.storageType)' are not rewritten.")
        }
    }
}

extension Database {
    fileprivate func requireRoomToRewrite(_ folder: DatabaseFolder) throws(StorageError) {
        let generation = try enter()
        defer { leave(generation) }
        try compactor.space.require(try generation.engine.statistics(), isAsked: true, at: folder.path)
    }
}
