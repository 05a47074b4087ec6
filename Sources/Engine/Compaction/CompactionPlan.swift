internal import SetteeStorageFiles
internal import StorageProtocol

/// How the files of a database will be compacted. Decided before anything is dropped.
enum CompactionPlan {
    /// The files are copied, and the copy replaces them.
    case rewrite
    /// The engine compacts them in place.
    case byItself
    /// They stay as they are, for the given reason if there are any files.
    case none(String?)

    /// Checks the requirements of the engine's way. Others may open the database afterwards and still prevent it.
    ///
    /// - Throws: `notImplemented` (501) if the engine cannot do what it declares; `full` (507) if the disk has no room
    ///   for a copy.
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
            // If others have it open, the result says so at the end, and room does not matter.
            if try folder.isAlone() { try database.requireRoomToRewrite(folder) }
            self = .rewrite
        case .byItself:
            // What it writes is beside what it replaces.
            if let folder = database.folder { try database.requireRoomToRewrite(folder) }
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
