internal import CSetteeSQLiteAPI
package import SetteeSQLite
package import StorageProtocol

/// libsqlcipher, found at run time: the package is built without it, and the other engines do not need it.
package enum SQLCipherLibrary {
    /// Returns the library, which is loaded and checked at the first call.
    ///
    /// - Throws: `notImplemented` (501) if there is none that can be used.
    package static func loaded() throws(StorageError) -> SQLiteLibrary { try outcome.get() }

    private static let outcome = load()
    private static let resident = Locked<Connection?>(nil)

    private static func load() -> Result<SQLiteLibrary, StorageError> {
        do throws(StorageError) {
            var loading = sqlite_loaded
            guard let api = unsafe sqlite_api_of_sqlcipher(&loading) else { throw refusal(loading) }
            let library = unsafe try SQLiteLibrary(api: api)
            // It stays open: with its last connection the library would free its global state.
            let connection = try Connection(
                ":memory:",
                flags: sqlite_open_readwrite | sqlite_open_create,
                library: library
            )
            guard let version = try connection.values("PRAGMA cipher_version").first, !version.isEmpty else {
                throw refusal(sqlite_library_unfit)
            }
            resident.withLock { $0 = connection }
            return .success(library)
        } catch {
            return .failure(error)
        }
    }

    private static func refusal(_ loading: SQLiteLoading) -> StorageError {
        switch loading {
        case sqlite_library_missing:
            StorageError(
                .notImplemented,
                "Encrypted databases need SQLCipher, which is not installed. Install the package libsqlcipher0 "
                    + "(Debian, Ubuntu: "
                    + "it comes with libsqlcipher-dev; elsewhere it is called sqlcipher)."
            )
        case sqlite_loading_unsupported:
            StorageError(
                .notImplemented,
                "SQLCipher cannot be loaded beside SQLite here: that needs a C library with RTLD_DEEPBIND, and no "
                    + "sanitizer."
            )
        default:
            StorageError(
                .notImplemented,
                "The library libsqlcipher that is installed does not encrypt. Install the package libsqlcipher0."
            )
        }
    }
}
