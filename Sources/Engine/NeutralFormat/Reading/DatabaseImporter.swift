public import Foundation
public import StorageProtocol

/// Reads the text of `Database.exportAll` into a database, of any engine.
///
/// ```swift
/// let importer = try DatabaseImporter(contentsOf: file)
/// let summary = try importer.run(into: database)
/// ```
///
/// Making one reads and checks the whole text; nothing is written before that. docs/reference/neutral-export.md says
/// what is refused, and what becomes of a database that has documents already.
public struct DatabaseImporter: Sendable {
    private let file: ExportFile
    private let index: ExportIndex

    /// What the export holds.
    public var contents: ExportSummary { index.summary }

    /// An export in a regular file, which must stay as it is until the import is over.
    ///
    /// - Throws: `badJSON` (493) for a text that is no export, `unsupportedFormat` (591) for one of a later version,
    ///   `corrupt` (591) for one that was changed or cut off, `fileSystem` (498) where it cannot be read,
    ///   `badParameter` (495) where `url` is not a file's.
    public init(contentsOf url: URL) throws(StorageError) {
        guard url.isFileURL else { throw StorageError(.badParameter, "The export must be a file.") }
        try self.init(ExportFile(path: url.path))
    }

    /// An export that comes as a stream. It is kept in a file without a name meanwhile, which nobody else can read.
    ///
    /// - Parameters:
    ///   - directory: where that file is, as large as the export.
    ///   - piece: gives the text piece by piece, nil at its end.
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

    /// How every export begins, whatever its version.
    public static var beginning: [UInt8] { NeutralFormat.beginning }

    /// Stores what the export holds: all or nothing in a database without documents, else document by document.
    ///
    /// - Parameters:
    ///   - progress: told now and then how many documents are done.
    ///   - failure: told of each document that was refused, in a database that has documents. Elsewhere a refusal ends
    ///     the import.
    /// - Throws: what `progress` and `failure` throw; `callback` (593) inside `read` or a closure of the database,
    ///   `rejected` (403) by a validation function, `readOnly` (403), `inUse` (423), `notOpen` (503), `full` (507),
    ///   `fileSystem` (498) where the export was changed meanwhile.
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
