internal import SetteeCouchProtocol
internal import StorageProtocol

/// Some of the rows of an answer of `_bulk_docs`.
///
/// A row is a byte that says what it has, the ID, the revision and the number of an error, as far as it has them.
/// Numbers have 7 bits in a byte, the low ones first; a text has its length before it; the digest of a revision has 16
/// bytes.
struct BulkRowPiece: Sendable {
    private struct Parts: OptionSet {
        let rawValue: UInt8
        static let id = Parts(rawValue: 1)
        static let revision = Parts(rawValue: 2)
        /// The revision has the usual form, a generation and a digest.
        static let digest = Parts(rawValue: 4)
        static let error = Parts(rawValue: 8)
    }

    private var bytes: [UInt8] = []
    private var errors: [CouchError] = []

    private static let fullSize = 65_536
    /// Among so many of the latest errors the same one is looked for.
    private static let recentErrors = 16

    /// - Parameter isFirst: Whether there may be few rows.
    init(isFirst: Bool) {
        if !isFirst { bytes.reserveCapacity(BulkRowPiece.fullSize + 256) }
    }

    var byteCount: Int { bytes.count }
    var isFull: Bool { bytes.count >= BulkRowPiece.fullSize }

    mutating func append(_ row: BulkOutcome) {
        var parts: Parts = []
        if row.id != nil { parts.insert(.id) }
        let digest = row.revision.flatMap { try? RevisionID($0) }.flatMap { id in id.digest.map { (id.generation, $0) }
        }
        if row.revision != nil { parts.insert(digest == nil ? .revision : .digest) }
        if row.isFailure { parts.insert(.error) }
        bytes.append(parts.rawValue)
        if let id = row.id { append(id) }
        if let (generation, digest) = digest {
            append(generation)
            for half in [digest.high, digest.low] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: half >> shift))
                }
            }
        } else if let revision = row.revision {
            append(revision)
        }
        if case .failure(let error) = row.outcome { append(UInt64(place(of: error))) }
    }

    private mutating func place(of error: CouchError) -> Int {
        if let known = errors.suffix(BulkRowPiece.recentErrors).lastIndex(of: error) { return known }
        errors.append(error)
        return errors.count - 1
    }

    private mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The rows, in their order.
    var outcomes: [BulkOutcome] {
        var outcomes: [BulkOutcome] = []
        var rest = bytes[...]
        while let flags = rest.popFirst() {
            let parts = Parts(rawValue: flags)
            var row = BulkOutcome(id: nil, revision: nil, outcome: .success(()))
            if parts.contains(.id) { row.id = BulkRowPiece.text(&rest) }
            if parts.contains(.digest) {
                let generation = BulkRowPiece.number(&rest)
                let high = rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
                let low = rest.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
                rest = rest.dropFirst(16)
                row.revision = RevisionID(uncheckedGeneration: generation, high: high, low: low).string
            } else if parts.contains(.revision) {
                row.revision = BulkRowPiece.text(&rest)
            }
            if parts.contains(.error) { row.outcome = .failure(errors[Int(BulkRowPiece.number(&rest))]) }
            outcomes.append(row)
        }
        return outcomes
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> String {
        let count = Int(number(&rest))
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst() {
            number |= UInt64(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        }
        return number
    }
}
