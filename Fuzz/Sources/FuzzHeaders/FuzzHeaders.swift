import FuzzDriver
import SetteeCouchProtocol
import StorageProtocol

/// Reads a text as the value of every header that is read. The first byte chooses the length of the content that ranges
/// are of.
private func fuzzHeaders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let choice = bytes.first else { return 0 }
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    parameters(text)
    let lengths: [UInt64] = [0, 1, 5, 100, 1 << 32, .max - 1, .max]
    ranges(text, lengths[Int(choice) % lengths.count])
    tags(text)
    for coding in ContentCoding.allCases { _ = coding.isAccepted(by: text) }
    _ = read(status: 415) { () throws(CouchError) in try ContentCoding(header: text) }
    if let since = read({ () throws(CouchError) in try ChangesSince(text) }), case .sequence(let number) = since {
        precondition((try? ChangesSince("\(number)")) == since, "the sequence is another one")
    }
    if let revision = read({ () throws(CouchError) in try RevisionID(wire: text) }) {
        precondition((try? RevisionID(wire: revision.string)) == revision, "the revision is another one")
    }
    return 0
}

private func parameters(_ text: String) {
    if let header = read({ () throws(CouchError) in try HeaderValue(text) }) {
        for parameter in header.parameters {
            precondition(header[parameter.name] == parameter.value, "a parameter is not found")
        }
    }
    if let boundary = read({ () throws(CouchError) in try MultipartBoundary(contentType: text) }) {
        let header = boundary.contentType("related")
        precondition((try? MultipartBoundary(contentType: header)) == boundary, "the boundary is another one")
    }
    _ = read { () throws(CouchError) in try ContentDisposition.fileName(text) }
    let disposition = ContentDisposition.attachment(text)
    precondition(!disposition.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a header has control characters")
    let name = try? ContentDisposition.fileName(disposition)
    precondition(name?.utf8.elementsEqual(text.utf8) ?? false, "the name is another one")
}

private func ranges(_ text: String, _ length: UInt64) {
    if let range = read(
        status: 416,
        { () throws(CouchError) in try SetteeCouchProtocol.ByteRange.requested(text, of: length) }
    ) {
        precondition(range.map { isInside($0, length) } ?? true, "the range is not in the content")
    }
    if let ranges = read(
        status: 416,
        { () throws(CouchError) in try SetteeCouchProtocol.ByteRange.several(text, of: length) }
    ) ?? nil {
        precondition(
            1...9 ~= ranges.count && ranges.allSatisfy { isInside($0, length) },
            "a range is not in the content"
        )
        var rest = length
        for range in ranges {
            precondition(range.count <= rest, "the ranges are more than the content")
            rest -= range.count
        }
    }
}

private func isInside(_ range: SetteeCouchProtocol.ByteRange, _ length: UInt64) -> Bool {
    range.first <= range.last && range.last < length && range.count == range.last - range.first + 1
}

private func tags(_ text: String) {
    let tag = EntityTag(text)
    guard let own = try? EntityTagCondition(header: tag.header) else { fatalError("a tag cannot be read") }
    precondition(own == .tags([tag]) && own.matchesStrongly(tag) && own.matchesWeakly(tag), "the tag is another one")
    guard let condition = read({ () throws(CouchError) in try EntityTagCondition(header: text) }) else { return }
    guard case .tags(let tags) = condition else { return }
    precondition(!tags.isEmpty && tags.allSatisfy { condition.matchesWeakly($0) }, "a tag is not found")
    let joined = tags.map(\.header).joined(separator: ", ")
    precondition((try? EntityTagCondition(header: joined)) == condition, "the tags are other ones")
}

/// - Parameter status: what a text may be refused with beside 400.
private func read<Value>(status: Int = 400, _ body: () throws(CouchError) -> Value) -> Value? {
    do throws(CouchError) {
        return try body()
    } catch {
        precondition(error.status == 400 || error.status == status, "another error")
        return nil
    }
}

@main
enum FuzzHeaders {
    static func main() {
        fuzz { fuzzHeaders($0, $1) }
    }
}
