public import Foundation
internal import SetteeEncryption
public import SetteeEngine
internal import SetteeStorageFiles
internal import SetteeTransfer
public import StorageProtocol

/// An import of a Couchbase Lite 1.0 to 1.4 database, from iOS, macOS, Android, Java or .NET, into a new database.
///
/// ```swift
/// let old = try CouchbaseLiteImport(of: URL(filePath: "app.cblite2"), key: try StorageKey(passphrase: "letmein"))
/// let report = try old.run(to: URL(filePath: "app.settee"), options: options, engines: engines)
/// for problem in report.problems { print(problem) }
/// ```
///
/// The old database is only read, and not a byte of it changes. No program may have it open during the import.
/// docs/guide/couchbase-lite-import.md describes what each part of it becomes.
public struct CouchbaseLiteImport: Sendable {
    /// Receives the number of documents done and their total.
    public typealias Progress = (_ documents: Int, _ total: Int) throws(StorageError) -> Void

    private let path: String
    private let key: StorageKey?

    /// - Parameters:
    ///   - url: a `.cblite2` folder, or a `.cblite` file.
    ///   - key: its key, if it is encrypted: a passphrase, or the raw key.
    /// - Throws: `notFound` (404) if nothing is there; `unsupportedFormat` (591) for a ForestDB database, or if it is
    ///   not a Couchbase Lite database; `badParameter` (495) if `url` is not a file URL or leads to something that is
    ///   neither a file nor a folder; `unauthorized` (401) if it is encrypted and there is no key.
    public init(of url: URL, key: StorageKey? = nil) throws(StorageError) {
        guard url.isFileURL else { throw StorageError(.badParameter, "The old database must be a file URL.") }
        path = url.path
        self.key = key
        let layout = try OldLayout(path)
        if key == nil, try !SourceOpening.isPlain(layout) { throw CouchbaseLiteImport.encrypted(path) }
    }

    /// Returns whether there may be an old database at `url`: a folder, or a file whose name or beginning looks like
    /// one. Opens nothing but a regular file.
    public static func isLikely(at url: URL) -> Bool { url.isFileURL && OldLayout.isLikely(url.path) }

    /// Returns whether the old database's file is encrypted.
    ///
    /// - Throws: like `init`.
    public static func isEncrypted(at url: URL) throws(StorageError) -> Bool {
        try !SourceOpening.isPlain(OldLayout(url.path))
    }

    /// Creates a new database from the old one.
    ///
    /// - Parameters:
    ///   - url: the path of the new database. Nothing may be there yet, and the folder above must exist.
    ///   - options: storage type, compression and key of the new database.
    ///   - decrypt: must be set if the old database is encrypted and the new one is not to be.
    ///   - engines: the engines that may be used.
    ///   - progress: called from time to time. If it throws, the import ends and nothing is left.
    /// - Returns: what was imported, and what could not be. The new database is created even if something could not.
    /// - Throws: `exists` (412) if anything is at `url`; `badRequest` (400) without `decrypt`, or for an encrypted
    ///   storage type without a key; `unauthorized` (401) for a wrong key; `badParameter` (495) for a key if nothing is
    ///   encrypted; `inUse` (423) if another program writes to the old database; `corrupt` (591) if nothing of it can
    ///   be read; `unsupportedFormat` (591); `full` (507); what `progress` throws.
    /// - Complexity: O(content). Memory holds the revision tree of one document, and a few megabytes.
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
        guard try OutsideFolder.kind(url.path) == nil else {
            throw StorageError(.exists, "There is something at '\(url.path)' already. Choose another path.")
        }
        let parent = url.deletingLastPathComponent().path
        let folder = try PrivateFolder(in: parent)
        defer { folder.remove() }
        let source = try OldDatabase(layout, key: key, isPlain: isPlain, in: folder)
        // Checked after the key: without the right one, nothing about the old database is revealed.
        let hasMarker = try OldContents.marker(in: layout) != nil
        if !isPlain || hasMarker, options.key == nil, !decrypt, key != nil {
            throw StorageError(
                .badRequest,
                "The old database is encrypted, and the new one would not be. Give a key for it, or say `decrypt` if "
                    + "that is meant."
            )
        }
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
