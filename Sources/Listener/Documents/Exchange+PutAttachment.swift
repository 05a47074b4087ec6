internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Writes of one attachment. The rest of the document stays as it is.
extension Exchange {
    /// PUT: the body is the content. It is written into the database as it comes, and removed if no revision follows.
    func putAttachment(
        _ name: String,
        of id: DocumentID,
        _ wanted: WriteOptions,
        in served: ServedDatabase
    ) async throws -> Answer {
        let coding = try ContentCoding(header: header(.contentEncoding))
        guard coding != .deflate else {
            throw CouchError.badContentType("Only gzip and identity content-encodings are supported")
        }
        let parent = wanted.revision
        // A conflict is told before the content is sent; whether it is one then is found out in the lane.
        _ = try await blocking { try Exchange.properties(of: id, at: parent, in: served.database) }
        let staged = try await stageBody(in: served.database)
        defer { withExtendedLifetime(staged) {} }
        var entry: JSONObject = ["follows": true, "digest": .string(staged.digest)]
        entry["content_type"] = .string(header(.contentType) ?? "application/octet-stream")
        if coding == .gzip { entry["encoding"] = "gzip" }
        let body = try await blocking { [entry] in
            var properties = try Exchange.properties(of: id, at: parent, in: served.database)
            var entries = properties["_attachments"]?.objectValue ?? JSONObject()
            entries[name] = .object(entry)
            properties["_attachments"] = .object(entries)
            return try DocumentBody(properties)
        }
        let saved = try await served.write(bytes: body.canonical.count, by: access.user) {
            try served.database.save(body, as: id, parent: parent)
        }
        return .written(saved, status: .created, location: location(served.name, id.string, name))
    }

    func deleteAttachment(
        _ name: String,
        of id: DocumentID,
        _ wanted: WriteOptions,
        in served: ServedDatabase
    ) async throws -> Answer {
        let parent = wanted.revision
        let body = try await blocking {
            let database = served.database
            guard let found = try database[id].revision() else { throw CouchError.missing }
            if parent == nil, found.isDeleted { throw CouchError.deleted }
            var properties =
                parent == nil ? try found.properties : try Exchange.properties(of: id, at: parent, in: database)
            var entries = properties["_attachments"]?.objectValue ?? JSONObject()
            guard entries.remove(name) != nil else { throw CouchError.noAttachment }
            // Nobody removes what they have not read.
            guard parent != nil else { throw CouchError.conflict }
            properties["_attachments"] = entries.isEmpty ? nil : .object(entries)
            return try DocumentBody(properties)
        }
        let saved = try await served.write(bytes: body.canonical.count, by: access.user) {
            try served.database.save(body, as: id, parent: parent)
        }
        return .written(saved, status: .ok)
    }

    /// The body of the revision that is to be followed; empty for a new or deleted document. Blocks.
    ///
    /// - Throws: `conflict` (409) if there is no such revision, or none is named and there is a document.
    private static func properties(
        of id: DocumentID,
        at parent: RevisionID?,
        in database: Database
    ) throws -> JSONObject {
        guard let parent else {
            guard try !database[id].exists else { throw CouchError.conflict }
            return JSONObject()
        }
        guard let found = try database.revision(parent, of: id) else { throw CouchError.conflict }
        return try found.properties
    }

    /// Writes the request's body into the database as the content of a future attachment.
    ///
    /// - Throws: `too_large` (413) beyond the limit; `content_md5_mismatch` (400) if it is not the content whose MD5
    ///   the client sent.
    private func stageBody(in database: Database) async throws -> StagedAttachment {
        let limit = core.options.attachmentBytes
        if let text = header(.contentLength), let length = UInt64(text), length > limit { throw CouchError.tooLarge }
        let writer = try await blocking { try database.makeAttachmentWriterKeepingMD5(decodedUpTo: limit) }
        var length: UInt64 = 0
        var block = try await nextBlock()
        while let bytes = block {
            length += UInt64(bytes.count)
            guard length <= limit else { throw CouchError.tooLarge }
            // The next block comes while this one is hashed and written.
            async let next = nextBlock()
            try await blocking { try writer.append(bytes) }
            block = try await next
        }
        let staged = try await blocking { try writer.finish() }
        if let md5 = header(.contentMD5), staged.md5Digest != AttachmentDigest("md5-" + md5)?.text {
            throw CouchError(400, "content_md5_mismatch", "Possible message corruption.")
        }
        return staged
    }
}
