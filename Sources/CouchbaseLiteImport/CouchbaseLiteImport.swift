public import Foundation
internal import SetteeEncryption
public import SetteeEngine
internal import SetteeStorageFiles
public import StorageProtocol

/// A database of Couchbase Lite 1.0 to 1.4, from iOS, macOS, Android, Java or .NET, that is to be brought into a new
/// database.
///
/// ```swift
/// let old = try CouchbaseLiteImport(of: URL(filePath: "app.cblite2"), key: try StorageKey(passphrase: "letmein"))
/// let report = try old.run(to: URL(filePath: "app.settee"), options: options, engines: engines)
/// for problem in report.problems { print(problem) }
/// ```
///
/// The old database is only read, and stays byte for byte as it is. Nobody may have it open meanwhile.
/// docs/guide/couchbase-lite-import.md says what becomes of everything in it.
public struct CouchbaseLiteImport: Sendable {
    /// Told how many documents are done, of how many.
    public typealias Progress = (_ documents: Int, _ total: Int) throws(StorageError) -> Void

    private let path: String
    private let key: StorageKey?

    /// - Parameters:
    ///   - url: a `.cblite2` folder, or a `.cblite` file.
    ///   - key: its key, if it is encrypted: a passphrase, or the raw key.
    /// - Throws: `notFound` (404) where nothing is there; `unsupportedFormat` (591) for a ForestDB database, or where
    ///   it is none of Couchbase Lite's; `badParameter` (495) where `url` is not a file's or leads to something that is
    ///   no file or folder; `unauthorized` (401) where it is encrypted and there is no key.
    public init(of url: URL, key: StorageKey? = nil) throws(StorageError) {
        guard url.isFileURL else { throw StorageError(.badParameter, "The old database must be a file URL.") }
        path = url.path
        self.key = key
        let layout = try OldLayout(path)
        if key == nil, try !SourceOpening.isPlain(layout) { throw CouchbaseLiteImport.encrypted(path) }
    }

    /// Whether there may be an old database at `url`: a folder, or a file that is named or begins like one. Opens
    /// nothing but a regular file.
    public static func isLikely(at url: URL) -> Bool { url.isFileURL && OldLayout.isLikely(url.path) }

    /// Whether the old database's file is encrypted.
    ///
    /// - Throws: as `init`.
    public static func isEncrypted(at url: URL) throws(StorageError) -> Bool {
        try !SourceOpening.isPlain(OldLayout(url.path))
    }

    /// Makes a new database of it.
    ///
    /// - Parameters:
    ///   - url: where the new database is to be; nothing is there yet, and the folder above exists.
    ///   - options: storage type, compression and key of the new database.
    ///   - decrypt: must be set where the old database is encrypted and the new one is not to be.
    ///   - engines: those that may be used.
    ///   - progress: called now and then. Throwing ends the import, and nothing is left.
    /// - Returns: what was brought, and what could not be. The new database is there also if something could not.
    /// - Throws: `exists` (412) where anything is at `url`; `badRequest` (400) without `decrypt`, or for an encrypted
    ///   storage type without a key; `unauthorized` (401) for a wrong key; `badParameter` (495) for a key where nothing
    ///   is encrypted; `inUse` (423) where somebody writes to the old database; `corrupt` (591) where nothing of it can
    ///   be read; `unsupportedFormat` (591); `full` (507); what `progress` throws.
    /// - Complexity: O(content). Memory holds 16 bytes for each revision, one document's tree, and some megabytes.
    public func run(
        to url: URL,
        options: DatabaseOptions = DatabaseOptions(),
        decrypt: Bool = false,
        engines: [any StorageEngineFactory],
        progress: Progress = { (_, _) throws(StorageError) in }
    ) throws(StorageError) -> CouchbaseLiteReport {
        guard url.isFileURL else { throw .noFileURL }
        let layout = try OldLayout(path)
        let isPlain = try SourceOpening.isPlain(layout)
        if !isPlain || OldContents.marker(in: layout) != nil, options.key == nil, !decrypt, key != nil {
            throw StorageError(
                .badRequest,
                "The old database is encrypted, and the new one would not be. Give a key for it, or say `decrypt` if "
                    + "that is meant."
            )
        }
        guard try OutsideFolder.kind(url.path) == nil else {
            throw StorageError(.exists, "There is something at '\(url.path)' already. Choose another path.")
        }
        let parent = url.deletingLastPathComponent().path
        let folder = try PrivateFolder(in: parent)
        defer { folder.remove() }
        let source = try OldDatabase(layout, key: key, isPlain: isPlain, in: folder)
        return try DatabaseBuilder.build(at: url.path, options: options, engines: engines) {
            (builder) throws(StorageError) in
            try ImportRun(source, builder).run(progress)
        }
    }

    static func encrypted(_ path: String) -> StorageError {
        StorageError(
            .unauthorized,
            "The old database '\(path)' is encrypted, or its beginning is damaged. Give its key."
        )
    }
}
