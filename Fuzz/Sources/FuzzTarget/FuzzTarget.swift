import FuzzDriver
import SetteeCouchProtocol
import SetteeDocumentValues

/// Reads the first line as the target of a request and the rest as a body, and then the options of every kind of
/// request. What is refused is refused with 400 or 414, and a target that is written again means the same.
private func fuzzTarget(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let lines = UnsafeBufferPointer(start: start, count: count)
        .split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let target: RequestTarget
    do throws(CouchError) {
        target = try RequestTarget(String(decoding: lines[0], as: UTF8.self))
    } catch {
        precondition(error.status == 400 || error.status == 414, "another error")
        return 0
    }
    let written = target.text
    // Escapes take three bytes for one.
    guard let again = try? RequestTarget(written, limits: TargetLimits(bytes: 1 << 20)) else {
        fatalError("what was read cannot be written")
    }
    precondition(again == target && again.text == written, "the meaning has changed")

    var body = JSONObject()
    if lines.count == 2, let value = try? JSONValue(parsing: Array(lines[1])), let object = value.objectValue {
        body = object
    }
    let options = RequestOptions(query: target.query, body: body)
    let changes = read { () throws(CouchError) in try ChangesOptions(options) }
    precondition(changes?.sequenceInterval != 0 && changes?.heartbeat != 0, "no interval")
    let document = read { () throws(CouchError) in try DocumentOptions(options) }
    if let document { _ = document.includesMetadata }
    let listing = read { () throws(CouchError) in try ListingOptions(options) }
    precondition(listing.map { $0.skip >= 0 && $0.limit ?? 0 >= 0 } ?? true, "a count is negative")
    var write = read { () throws(CouchError) in try WriteOptions(options) }
    _ = read { () throws(CouchError) in try write?.require(ifMatch: target.query.first?.value.string) }
    precondition(options.parameters.count <= target.query.count + body.count, "there are more options than were given")
    return 0
}

private func read<Options>(_ body: () throws(CouchError) -> Options) -> Options? {
    do throws(CouchError) {
        return try body()
    } catch {
        precondition(error.status == 400, "another error")
        precondition((try? JSONValue(parsing: error.body)) != nil, "the answer is no JSON")
        return nil
    }
}

@main
enum FuzzTarget {
    static func main() {
        fuzz { fuzzTarget($0, $1) }
    }
}
