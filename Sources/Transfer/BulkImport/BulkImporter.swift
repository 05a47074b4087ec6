internal import Dispatch
internal import Foundation
package import SetteeEngine
internal import StorageProtocol

/// Imports many documents. Other threads split and parse the text and compute digests, while the calling thread saves
/// the parsed documents, one transaction for each batch. Batches whose IDs come in no order are gathered
/// (`GatheredBatch`), and saved in fewer, larger transactions. Memory use does not depend on the length of the text.
///
/// A document without `_rev` becomes a new document, or continues a tombstone. One with `_rev` is a foreign revision,
/// with the ancestors from `_revisions`, if any. If a document with the same ID exists and is not deleted, the import
/// refuses it (409). Local and design documents are accepted too.
package struct BulkImporter {
    private let database: Database
    private let options: ImportOptions

    /// What has been gathered is saved if no more text comes for so long: its sender may be waiting for the commit.
    private static let pause = DispatchTimeInterval.milliseconds(250)

    package init(into database: Database, options: ImportOptions) {
        self.database = database
        self.options = options
    }

    /// Imports the pieces that `chunk` returns until it returns nil.
    ///
    /// - Parameters:
    ///   - chunk: Called from other threads, one call at a time.
    ///   - failure: Called with each document that was refused.
    ///   - committed: Called after commits with the number of documents saved so far, and the bytes of text they took:
    ///     they are the beginning of the text.
    /// - Throws: Whatever `failure` and `committed` throw. All other errors are in the outcome.
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
        var gathered = GatheredBatch()
        var number = 0
        while true {
            let deadline = gathered.isEmpty ? DispatchTime.distantFuture : .now() + BulkImporter.pause
            if let batch = reader.batch(number, until: deadline) {
                number += 1
                reader.release()
                gathered.add(batch)
                if gathered.goesOn(upTo: options) { continue }
            }
            let batch = gathered.take()
            var failures: [ImportFailure] = []
            var rest = batch.documents[...]
            repeat {
                let part = rest.prefix(options.transactionCount)
                rest = rest.dropFirst(part.count)
                do {
                    let refused = try save(part)
                    outcome.documents += part.count - refused.count
                    failures += refused
                } catch {
                    outcome.interruption = error
                }
            } while !rest.isEmpty && outcome.interruption == nil
            outcome.failed += failures.count
            // In the order of IDs, some parts of a batch are no beginning of the text.
            if outcome.interruption == nil, failures.count < batch.documents.count {
                try committed(outcome.documents, batch.consumed)
            }
            for refused in failures.sorted(by: { $0.offset < $1.offset }) { try failure(refused) }
            if outcome.interruption == nil, batch.isLast { outcome.interruption = batch.fault }
            if batch.isLast || outcome.interruption != nil { return outcome }
        }
    }

    /// Saves documents in one transaction.
    ///
    /// - Returns: What could not be saved, and why.
    private func save(
        _ documents: ArraySlice<Result<ImportedDocument, ImportFailure>>
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
