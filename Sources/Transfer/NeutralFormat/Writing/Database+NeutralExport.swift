public import SetteeEngine
public import StorageProtocol

extension Database {
    /// Writes the whole content of the database as the text of docs/reference/neutral-export.md: documents with all
    /// revisions and kept bodies, local documents, expiry, info values, attachments. All of it is from one state, in an
    /// order that depends on the content alone.
    ///
    /// - Parameter sink: gets the text piece by piece, in order. It may read the database and sees the exported state;
    ///   writes are refused (593).
    /// - Returns: counts and the digest, as in the last line.
    /// - Throws: what `sink` throws; `corrupt` (591) if something to be exported is damaged or missing: the text then
    ///   has no last line and cannot be imported. `notOpen` (503), `callback` (593) inside a closure of the database,
    ///   `storage` (590), `attachmentStore` (592).
    /// - Complexity: O(content); memory for the longest line.
    @discardableResult
    public func exportAll(to sink: ([UInt8]) throws -> Void) throws -> ExportSummary {
        var thrown: (any Error)?
        do {
            return try withoutActuallyEscaping(sink) { sink in
                try export { (bytes) throws(StorageError) in
                    do {
                        try sink(bytes)
                    } catch {
                        thrown = error
                        throw StorageError(.cancelled, "The closure that takes the export has thrown an error.")
                    }
                }
            }
        } catch {
            throw thrown ?? error
        }
    }

    /// Returns a digest of the whole content of the database. It is equal for two databases exactly if their content
    /// is, whatever their engines, sequences, UUIDs and history of commits. docs/reference/neutral-export.md defines
    /// it.
    ///
    /// - Returns: a SHA-256 in lower-case hexadecimal digits.
    /// - Throws: as `exportAll`.
    /// - Complexity: O(content): everything is read, including attachments.
    public func contentDigest() throws(StorageError) -> String { try export(to: nil).digest }

    private func export(to sink: ExportWriter.Sink?) throws(StorageError) -> ExportSummary {
        let context = ThreadContext.current
        return try withReadGeneration(readsBlobs: true) { (transaction, generation) throws(StorageError) in
            try context.with(.snapshot(transaction, generation), on: self) { () throws(StorageError) in
                var writer = ExportWriter(transaction, of: self, sink: sink)
                return try writer.run()
            }
        }
    }
}
