internal import StorageProtocol

/// A byte string as a key, in `memcmp` order, a prefix first.
struct ByteKey: Comparable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(_ id: DocumentID) { self.bytes = Array(id.string.utf8) }
    init(_ text: String) { self.bytes = Array(text.utf8) }

    static func < (a: ByteKey, b: ByteKey) -> Bool { compareBytes(a.bytes, b.bytes) < 0 }
}

/// The position of an index row: sort key, then document ID, then emit number.
struct RowKey: Comparable, Sendable {
    let key: [UInt8]
    let id: [UInt8]
    let emit: UInt32

    static func < (a: RowKey, b: RowKey) -> Bool {
        a.order(against: IndexPosition(key: b.key, documentID: b.id, emit: b.emit)) < 0
    }

    /// Negative before `position`, positive after it, and zero for every row that it stands for.
    func order(against position: IndexPosition) -> Int {
        let byKey = compareBytes(key, position.key)
        if byKey != 0 { return byKey }
        guard let documentID = position.documentID else { return 0 }
        let byID = compareBytes(id, documentID)
        if byID != 0 { return byID }
        guard let other = position.emit else { return 0 }
        return emit < other ? -1 : (emit == other ? 0 : 1)
    }
}

/// The position of an expiration: time, then document ID.
struct ExpirationKey: Comparable, Sendable {
    let time: Int64
    let id: ByteKey

    static func < (a: ExpirationKey, b: ExpirationKey) -> Bool {
        a.time != b.time ? a.time < b.time : a.id < b.id
    }
}

extension ByteRange {
    /// Whether `key` is before the range.
    func isBefore(_ key: ByteKey) -> Bool {
        switch lower {
        case .open: false
        case .including(let bytes): compareBytes(key.bytes, bytes) < 0
        case .excluding(let bytes): compareBytes(key.bytes, bytes) <= 0
        }
    }

    /// Whether `key` is in the range or before it.
    func isNotAfter(_ key: ByteKey) -> Bool {
        switch upper {
        case .open: true
        case .including(let bytes): compareBytes(key.bytes, bytes) <= 0
        case .excluding(let bytes): compareBytes(key.bytes, bytes) < 0
        }
    }
}

extension IndexRange {
    /// Whether `key` is before the range.
    func isBefore(_ key: RowKey) -> Bool {
        switch lower {
        case .open: false
        case .including(let position): key.order(against: position) < 0
        case .excluding(let position): key.order(against: position) <= 0
        }
    }

    /// Whether `key` is in the range or before it.
    func isNotAfter(_ key: RowKey) -> Bool {
        switch upper {
        case .open: true
        case .including(let position): key.order(against: position) <= 0
        case .excluding(let position): key.order(against: position) < 0
        }
    }
}

extension ClosedRange<UInt64> {
    /// Whether `sequence` is before the range.
    func isBefore(_ sequence: UInt64) -> Bool { sequence < lowerBound }

    /// Whether `sequence` is in the range or before it.
    func isNotAfter(_ sequence: UInt64) -> Bool { sequence <= upperBound }
}
