public import Foundation
public import SetteeEngine
public import StorageProtocol

/// Reads the text of `Database.exportAll` into a database of any engine.
///
/// ```swift
/// let importer = try DatabaseImporter(contentsOf: file)
/// let summary = try importer.run(into: database)
/// ```
///
/// The initialiser reads and checks the whole text, before anything is written. docs/reference/neutral-export.md says
/// what is refused, and what happens to a database that already has documents.
public struct DatabaseImporter: Sendable {
    private let file: ExportFile
    private let index: ExportIndex

    /// The counts of the export.
    public var contents: ExportSummary { index.summary }

    /// Reads an export in a regular file, which must not change until the import is finished.
    ///
    /// - Throws: `badJSON` (493) for a text that is not an export, `unsupportedFormat` (591) for one of a later
    ///   version, `corrupt` (591) for one that was changed or cut off, `fileSystem` (498) if it cannot be read,
    ///   `badParameter` (495) if `url` is not a file URL.
    public init(contentsOf url: URL) throws(StorageError) {
        guard url.isFileURL else { throw StorageError(.badParameter, "The export must be a file.") }
        try self.init(ExportFile(path: url.path))
    }

    /// Reads an export from a stream. It is kept in a file without a name, which other programs cannot read.
    ///
    /// - Parameters:
    ///   - directory: the directory of this file, which gets as large as the export.
    ///   - piece: returns the text piece by piece, nil at its end.
    /// - Throws: as `init(contentsOf:)`; `full` (507); what `piece` throws.
    public init(
        spoolingIn directory: URL,
        _ piece: () throws(StorageError) -> [UInt8]?
    ) throws(StorageError) {
        guard directory.isFileURL else { throw StorageError(.badParameter, "The directory must be a file URL.") }
        try self.init(ExportFile(spoolingIn: directory.path, piece))
    }

    private init(_ file: ExportFile) throws(StorageError) {
        self.file = file
        var verifier = ExportVerifier(file)
        index = try verifier.run()
    }

    /// The beginning of every export, of any version.
    public static var beginning: [UInt8] { NeutralFormat.beginning }

    /// Stores the content of the export: all or nothing in a database without documents, else document by document.
    ///
    /// - Parameters:
    ///   - progress: called now and then with the number of documents that are done.
    ///   - failure: called with each refused document, in a database that has documents. In one without, a refusal ends
    ///     the import.
    /// - Throws: what `progress` and `failure` throw; `callback` (593) inside `read` or a closure of the database,
    ///   `rejected` (403) by a validation function, `readOnly` (403), `inUse` (423), `notOpen` (503), `full` (507),
    ///   `fileSystem` (498) if the export was changed since it was checked.
    /// - Complexity: O(content).
    @discardableResult
    public func run(
        into database: Database,
        progress: (_ documents: Int) throws -> Void = { _ in },
        failure: (_ id: String, StorageError) throws -> Void = { _, _ in }
    ) throws -> ImportSummary {
        var thrown: (any Error)?
        let restored: ImportSummary?
        do {
            restored = try database.change { (session) throws(StorageError) -> ImportSummary? in
                guard try DatabaseRestorer.isEmpty(session.transaction) else { return nil }
                var restorer = try DatabaseRestorer(session, file, index)
                return try restorer.run { (documents) throws(StorageError) in
                    do {
                        try progress(documents)
                    } catch {
                        thrown = error
                        throw StorageError(.cancelled, "The closure that is told of progress has thrown an error.")
                    }
                }
            }
        } catch {
            throw thrown ?? error
        }
        if let restored { return restored }
        return try DatabaseMerger(database, file, index).run(progress: progress, failure: failure)
    }
}
