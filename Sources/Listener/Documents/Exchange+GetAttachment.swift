internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension Exchange {
    /// The content of an attachment, or a range of it. What is stored with gzip is sent so to who takes it, and decoded
    /// to others; both have the same entity tag, as in CouchDB: the MD5 of what is stored.
    func getAttachment(_ name: String, of id: DocumentID, in served: ServedDatabase) async throws -> Answer {
        let wanted = try DocumentOptions(options)
        let takesGzip = ContentCoding.gzip.isAccepted(by: header(.acceptEncoding))
        let open = try await blocking {
            try OpenAttachment(name, of: id, wanted, encoded: takesGzip, in: served.database)
        }
        let tag = EntityTag(open.md5)
        if try hasCurrent(tag) { return .notModified(tag) }
        var headers: HTTPFields = [
            .eTag: tag.header, .cacheControl: "must-revalidate", .contentType: open.contentType,
            .contentSecurityPolicy: "sandbox",
        ]
        if open.isGzip {
            headers[.acceptRanges] = "none"
            headers[.vary] = "Accept-Encoding"
            if takesGzip { headers[.contentEncoding] = "gzip" }
        } else {
            headers[.acceptRanges] = "bytes"
            do throws(CouchError) {
                if let part = try partOfContent(open, headers, tag) { return part }
            } catch {
                var answer = Answer(error)
                answer.headers[.contentRange] = SetteeCouchProtocol.ByteRange.unsatisfied(length: open.reader.length)
                return answer
            }
        }
        if !open.isGzip || takesGzip { headers[.contentMD5] = open.md5 }
        return answer(.ok, headers, open.reader, 0..<open.reader.length)
    }

    /// The answer with the range that is asked for, or with several; nil if the whole content is to be sent, as it is
    /// when If-Range names another version of it.
    private func partOfContent(
        _ open: OpenAttachment,
        _ headers: HTTPFields,
        _ tag: EntityTag
    ) throws(CouchError) -> Answer? {
        guard method == .get, let wanted = header(.range) else { return nil }
        if let condition = header(.ifRange) {
            // A date is no tag, and nothing here has one.
            guard let tags = try? EntityTagCondition(header: condition), tags.matchesStrongly(tag) else { return nil }
        }
        var headers = headers
        let length = open.reader.length
        if let ranges = try SetteeCouchProtocol.ByteRange.several(wanted, of: length) {
            let message = try RangesMessage(ranges, of: open.reader, contentType: open.contentType)
            headers[.contentType] = message.contentType
            let body = Answer.Body.stream(length: message.length) { [core] sink in
                try await message.write(to: sink, on: core.threads)
            }
            return Answer(status: .partialContent, headers: headers, body: body)
        }
        guard let range = try SetteeCouchProtocol.ByteRange.requested(wanted, of: length) else { return nil }
        headers[.contentRange] = range.contentRange(of: length)
        return answer(.partialContent, headers, open.reader, range.first..<(range.last + 1))
    }

    private func answer(
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        _ reader: AttachmentReader,
        _ range: Range<UInt64>
    ) -> Answer {
        let body = Answer.Body.stream(length: Int(exactly: range.upperBound - range.lowerBound)) { [core] sink in
            try await sink.write(reader, range, on: core.threads)
        }
        return Answer(status: status, headers: headers, body: body)
    }
}

extension HTTPField.Name {
    /// The MD5 of a body, in base64 (RFC 1864).
    static let contentMD5 = HTTPField.Name("Content-MD5")!
}
