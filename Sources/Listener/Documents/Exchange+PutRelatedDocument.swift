internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

extension Exchange {
    /// PUT of a document as multipart/related. The contents are written into the database as they come, and removed if
    /// the document is refused.
    func putRelatedDocument(
        _ id: DocumentID,
        _ wanted: WriteOptions,
        in served: ServedDatabase
    ) async throws -> Answer {
        let upload = try RelatedUpload(
            boundary: MultipartBoundary(contentType: header(.contentType) ?? ""),
            coding: ContentCoding(header: header(.contentEncoding)),
            to: served.database,
            core.options,
            memory
        )
        while let block = try await nextBlock() {
            try await blocking { try upload.push(block) }
        }
        let body = try await blocking { try upload.finish() }
        return try await write(body, as: id, wanted, in: served)
    }
}
