internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol

/// What one line of a trace says. Everything is checked: the file may come from anywhere.
struct TraceLineParser {
    private let members: JSONObject
    private let line: Int

    init(_ text: [UInt8], line: Int) throws(StorageError) {
        self.line = line
        guard let members = (try? JSONValue(parsing: text))?.objectValue else {
            throw TraceLineParser.damaged(line, "is no JSON object")
        }
        self.members = members
    }

    static func damaged(_ line: Int, _ what: String) -> StorageError {
        StorageError(.badEncoding, "Line \(line) of the trace \(what).")
    }

    private func number(_ name: String, _ range: ClosedRange<UInt64>) throws(StorageError) -> UInt64? {
        guard let value = members[name] else { return nil }
        guard case .int(let number) = value, let number = UInt64(exactly: number), range.contains(number) else {
            throw TraceLineParser.damaged(
                line,
                "has a '\(name)' that is no whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    private func number(
        _ name: String,
        _ range: ClosedRange<UInt64>,
        or standard: UInt64
    ) throws(StorageError) -> UInt64 {
        try number(name, range) ?? standard
    }

    private func flag(_ name: String) throws(StorageError) -> Bool {
        guard let value = members[name] else { return false }
        guard let flag = value.boolValue else {
            throw TraceLineParser.damaged(line, "has a '\(name)' that is no Boolean")
        }
        return flag
    }

    private func hash(_ value: JSONValue, _ name: String) throws(StorageError) -> UInt64 {
        if let digits = value.stringValue?.utf8, digits.count == 16,
            digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let hash = value.stringValue.flatMap({ UInt64($0, radix: 16) })
        {
            return hash
        }
        throw TraceLineParser.damaged(line, "has a '\(name)' that is not 16 hexadecimal digits")
    }

    private func hash(_ name: String) throws(StorageError) -> UInt64? {
        guard let value = members[name] else { return nil }
        return try hash(value, name)
    }

    private func array(_ name: String) throws(StorageError) -> [JSONValue] {
        guard let value = members[name] else { return [] }
        guard let array = value.arrayValue, array.count <= Trace.mostSubjects else {
            throw TraceLineParser.damaged(line, "has a '\(name)' that is no array of at most \(Trace.mostSubjects)")
        }
        return array
    }

    // MARK: - Lines

    /// - Throws: `unsupportedFormat` (591) for a format of later versions.
    func header() throws(StorageError) -> (began: String, salt: String) {
        guard let format = try number("format", 1...UInt64(Int64.max)) else {
            throw TraceLineParser.damaged(line, "has no 'format': this is not a trace")
        }
        guard format == 1 else {
            throw StorageError(
                .unsupportedFormat,
                "The trace has format \(format); this version reads format 1. Use a newer version."
            )
        }
        return (members["began"]?.stringValue ?? "", members["salt"]?.stringValue ?? "")
    }

    /// - Returns: nil for a kind of operation that is not known.
    func event() throws(StorageError) -> TraceEvent? {
        guard let name = members["op"]?.stringValue else { throw TraceLineParser.damaged(line, "has no 'op'") }
        guard let operation = TraceOperation(rawValue: name) else { return nil }
        var event = TraceEvent(operation)
        let any = 0...UInt64(Int64.max)
        event.database = Int(try number("db", 1...UInt64(Trace.mostDatabases), or: 1))
        event.thread = Int(try number("th", 1...UInt64(Int32.max), or: 1))
        event.microseconds = try number("at", any, or: 0)
        event.nanoseconds = try number("ns", any, or: 0)
        event.revision = try hash("rev")
        event.parent = try hash("on")
        event.generation = try number("gen", 1...RevisionID.maximumForeignGeneration, or: 1)
        event.history = Int(try number("history", 1...Trace.longestHistory, or: 1))
        event.gap = Int(try number("gap", 0...Trace.longestHistory, or: 0))
        event.size = try number("size", any)
        event.offset = try number("from", any, or: 0)
        event.rows = Int(try number("rows", any, or: 0))
        event.level = Int(try number("level", any, or: 0))
        event.isDeleted = try flag("deleted")
        event.isDescending = try flag("descending")
        event.isNew = try flag("new")
        event.reduces = try flag("reduce")
        event.withDocuments = try flag("documents")
        if let value = members["after"] {
            guard case .int(let time) = value else {
                throw TraceLineParser.damaged(line, "has an 'after' that is no whole number")
            }
            event.expiry = time
        }
        try addSubjects(to: &event)
        try check(event)
        return event
    }

    private func addSubjects(to event: inout TraceEvent) throws(StorageError) {
        let name: String? =
            switch event.operation {
            case .put, .insert, .purge, .prune, .putLocal, .removeLocal, .expire, .get, .leaves: "id"
            case .define, .undefine, .dropIndex, .query: "view"
            case .stage, .read: "content"
            default: nil
            }
        if let name {
            guard let subject = try hash(name) else { throw TraceLineParser.damaged(line, "has no '\(name)'") }
            event.subject = subject
        }
        let others =
            switch event.operation {
            case .put, .insert: "contents"
            case .prune: "revs"
            default: "views"
            }
        for value in try array(others) { event.subjects.append(try hash(value, others)) }
        for value in try array("lengths") {
            guard let length = value.intValue, 0...Int64(Trace.largestContent) ~= length else {
                throw TraceLineParser.damaged(line, "has a content of more than \(Trace.largestContent) bytes")
            }
            event.lengths.append(UInt64(length))
        }
    }

    private func check(_ event: TraceEvent) throws(StorageError) {
        switch event.operation {
        case .put, .insert:
            guard event.revision != nil else { throw TraceLineParser.damaged(line, "has no 'rev'") }
            guard event.subjects.count == event.lengths.count else {
                throw TraceLineParser.damaged(line, "has 'contents' and 'lengths' that differ in number")
            }
            guard event.gap < event.history, UInt64(event.history) <= event.generation else {
                throw TraceLineParser.damaged(line, "has a 'history' that does not fit its 'gen' and 'gap'")
            }
        case .stage:
            guard event.size ?? 0 <= Trace.largestContent else {
                throw TraceLineParser.damaged(line, "has a content of more than \(Trace.largestContent) bytes")
            }
        default: break
        }
        switch event.operation {
        case .put, .insert, .putLocal, .get:
            guard event.size ?? 0 <= Trace.largestBody else {
                throw TraceLineParser.damaged(line, "has a body of more than \(Trace.largestBody) bytes")
            }
        default: break
        }
    }
}
