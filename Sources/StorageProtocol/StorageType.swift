/// The name of a storage engine, as written in manifests, options and on the command line.
///
/// Settee's own five are constants. A third-party engine uses any other name of 1 to 32 characters from `a`...`z`,
/// `0`...`9`, `-` that begins with a letter.
public struct StorageType: Hashable, Sendable, CustomStringConvertible {
    public let name: String

    /// - Throws: `StorageError` with `invalidStorageType` (497) if `name` does not have the form above.
    public init(_ name: String) throws(StorageError) {
        let bytes = Array(name.utf8)
        let valid =
            (1...32).contains(bytes.count) && (0x61...0x7A).contains(bytes[0])
            && bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        guard valid else {
            throw StorageError(
                .invalidStorageType,
                "'\(name)' is no storage type. Settee has sqlite, sqlcipher, lmdb, rocksdb and memory."
            )
        }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    public static let sqlite = StorageType(known: "sqlite")
    public static let sqlcipher = StorageType(known: "sqlcipher")
    public static let lmdb = StorageType(known: "lmdb")
    public static let rocksdb = StorageType(known: "rocksdb")
    public static let memory = StorageType(known: "memory")

    public var description: String { name }
}
