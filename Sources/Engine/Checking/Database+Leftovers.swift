internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// A folder or file inside the database folder that a killed conversion or compaction has left.
    public struct Leftover: Sendable {
        /// The name in the database folder.
        public var name: String
        /// The bytes that it occupies.
        public var bytes: UInt64
        /// Whether the same conversion would continue with it.
        public var isResumable: Bool
    }

    /// Returns what killed conversions and compactions have left. The next opening for writing removes it, except what
    /// a conversion can continue with.
    ///
    /// - Throws: `fileSystem` (498) if the folder cannot be read.
    /// - Complexity: one look at each file of it.
    public func leftovers() throws(StorageError) -> [Leftover] {
        try (folder?.leftovers() ?? []).map { left in
            Leftover(name: left.name, bytes: left.bytes, isResumable: left.isResumable)
        }
    }

    /// Returns what may be plain text beside an encrypted database.
    func leftoverProblems() throws(StorageError) -> [StorageProblem] {
        guard setup.isEncrypted else { return [] }
        return try leftovers().filter { !$0.isResumable }.map { left in
            StorageProblem(
                area: "files",
                message: "'\(left.name)' (\(left.bytes) bytes) is left of a conversion that was killed, and may be "
                    + "plain text. Opening the database for writing removes it."
            )
        }
    }
}
