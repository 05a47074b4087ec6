internal import ArgumentParser
internal import Foundation
internal import Settee

/// How reading commands open a database.
struct ReadingOptions: ParsableArguments {
    @Flag(help: "Refuse every write; works in a folder that cannot be written.")
    var readOnly = false

    @OptionGroup var checking: VerifyOption

    var database: DatabaseOptions {
        DatabaseOptions(create: false, readOnly: readOnly, verifyOnOpen: checking.verify)
    }
}

/// Whether to check the files before they are used.
struct VerifyOption: ParsableArguments {
    @Flag(help: "Check every page of an lmdb database first. Done by itself after a first sign of damage.")
    var verify = false
}

/// How writing commands open a database.
struct WritingOptions: ParsableArguments {
    @Option(help: "What a commit survives: full (power loss) or normal (the end of the process).")
    var durability: Durability = .full

    @OptionGroup var checking: VerifyOption

    var database: DatabaseOptions {
        DatabaseOptions(create: false, durability: durability, verifyOnOpen: checking.verify)
    }
}

/// How a new database stores bodies.
struct CompressionOption: ParsableArguments {
    @Option(help: "How a new database keeps bodies: none, or lz4 (storage type lmdb). An existing one must have it.")
    var compression: Compression?
}

/// The engine of a new database.
struct StorageTypeOption: ParsableArguments {
    @Option(
        help:
            "The engine of a new database: sqlite, sqlcipher, lmdb or rocksdb. Default: SETTEE_STORAGE_TYPE, else sqlite."
    )
    var storageType: String?

    /// Returns the type given; nil if none was.
    func given() throws(StorageError) -> StorageType? {
        guard let storageType else { return nil }
        return try StorageType(storageType)
    }

    /// Returns the type for a new database; nil: the library's default.
    func forNewDatabase() throws(StorageError) -> StorageType? {
        if let given = try given() { return given }
        guard let name = ProcessInfo.processInfo.environment["SETTEE_STORAGE_TYPE"], !name.isEmpty else { return nil }
        return try StorageType(name)
    }
}
