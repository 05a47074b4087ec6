internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

/// A document that arrives as multipart/related. Releasing it without saving the document removes its contents.
///
/// Calls block. It can be used from any thread, by one after the other.
final class RelatedUpload: Sendable {
    /// @unchecked: used by one thread at a time, under the lock.
    private struct Work: @unchecked Sendable {
        var reader: MultipartReader
        var document: RelatedDocument
        /// For a message that is compressed as a whole.
        var inflater: GzipInflater?
    }

    private let work: Locked<Work>

    init(
        boundary: MultipartBoundary,
        coding: ContentCoding,
        to database: Database,
        _ options: ListenerOptions,
        _ memory: RequestMemory
    ) throws(CouchError) {
        // Each part needs an entry in the JSON, whose length is limited.
        let reader = MultipartReader(boundary: boundary, limits: MultipartLimits(parts: .max))
        var work = Work(reader: reader, document: RelatedDocument(in: database, options, memory))
        if let format = coding.format {
            work.inflater = try GzipInflater(format, limits: InflationLimits(bytes: .max))
        }
        self.work = Locked(work)
    }

    /// Takes the next bytes of the message.
    ///
    /// - Throws: `bad_request` (400) for what is no such message; `too_large` (413); errors of writing contents.
    func push(_ bytes: [UInt8]) throws(CouchError) {
        try work.withLock { (work) throws(CouchError) in
            guard let inflater = work.inflater else {
                return try unsafe work.reader.push(bytes.span.bytes, to: &work.document)
            }
            try unsafe inflater.push(bytes.span.bytes) { (inflated) throws(CouchError) in
                try work.reader.push(inflated, to: &work.document)
            }
        }
    }

    /// Says that the message has ended.
    ///
    /// - Returns: The document, which holds the contents.
    /// - Throws: `bad_request` (400) if something is missing.
    func finish() throws(CouchError) -> DocumentBody {
        try work.withLock { (work) throws(CouchError) in
            try work.inflater?.finish()
            try work.reader.finish()
            return try work.document.finish()
        }
    }
}
