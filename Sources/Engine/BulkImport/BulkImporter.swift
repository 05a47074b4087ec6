internal import Foundation
internal import StorageProtocol

/// Imports many documents: other threads cut and parse the text and work out digests, while the calling thread saves
/// what they have read, a transaction a batch. Memory does not grow with the text.
///
/// A document without `_rev` becomes a new document, or continues a tombstone. One with `_rev` is a revision from
/// elsewhere, with the ancestors that `_revisions` names, if any. Where the ID is that of a live document it is refused
/// (409). Local and design documents are taken too.
package struct BulkImporter {
    private let database: Database
    private let options: ImportOptions

    package init(into database: Database, options: ImportOptions) {
        self.database = database
        self.options = options
    }

    /// Imports what `chunk` gives, piece by piece, until it gives nil.
    ///
    /// - Parameters:
    ///   - chunk: called from other threads, one call at a time.
    ///   - failure: told of each document that was refused.
    ///   - committed: told after each commit how many documents are saved by now, and how many bytes of text that took.
    /// - Throws: what `failure` and `committed` throw. Everything else is told by the outcome.
    package func run(
        chunk: @escaping ImportChunks,
        failure: (ImportFailure) throws -> Void,
        committed: (_ documents: Int, _ bytes: Int) throws -> Void
    ) throws -> ImportOutcome {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let reader = ImportReader(options, workers: max(1, min(cores - 1, 6)), chunk: chunk)
        reader.start()
        defer { reader.cancel() }
        var outcome = ImportOutcome()
        var number = 0
        while true {
            let batch = reader.batch(number)
            number += 1
            let failures: [ImportFailure]
            do {
                failures = try save(batch.documents)
            } catch {
                outcome.interruption = error
                return outcome
            }
            outcome.documents += batch.documents.count - failures.count
            outcome.failed += failures.count
            if failures.count < batch.documents.count { try committed(outcome.documents, batch.consumed) }
            for refused in failures { try failure(refused) }
            if batch.isLast {
                outcome.interruption = batch.fault
                return outcome
            }
            reader.release()
        }
    }

    /// Saves a batch in one transaction.
    ///
    /// - Returns: what could not be saved, and why.
    private func save(
        _ documents: [Result<ImportedDocument, ImportFailure>]
    ) throws(StorageError) -> [ImportFailure] {
        do {
            return try database.withWriteSession { session in
                var failures: [ImportFailure] = []
                var writer = try ImportWriter(session)
                try writer.lookUp(documents)
                session.gathersInserts = true
                for document in documents {
                    switch document {
                    case .failure(let failure): failures.append(failure)
                    case .success(let document):
                        do throws(StorageError) {
                            try session.attempt { () throws(StorageError) in try writer.save(document) }
                        } catch {
                            if error.code.isStorageFailure { throw error }
                            failures.append(ImportFailure(document, error))
                        }
                    }
                }
                return failures
            }
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.unexpected, "The documents could not be saved.", cause: error)
        }
    }
}
