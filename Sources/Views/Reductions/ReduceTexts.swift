internal import SetteeEngine
internal import StorageProtocol

/// The input of a reduce function that takes and returns texts.
package struct ReduceTexts: Sendable {
    /// The keys of the rows as canonical JSON, with the IDs of their documents; nil: the values are earlier results of
    /// the function.
    package var keys: [(key: [UInt8], id: String)]?
    /// The values as canonical JSON, with null for rows without one.
    package var values: [[UInt8]]
}

/// Rows that a function of texts has not been given yet.
struct PendingTexts {
    /// A function gets at most so many rows at a time, or bytes unless it is a single row.
    private static let mostRows = 1_000
    private static let mostBytes = 1 << 20

    private var keys: [(key: [UInt8], id: String)] = []
    private var values: [[UInt8]] = []
    private var bytes = 0

    var isEmpty: Bool { keys.isEmpty }
    var isFull: Bool { keys.count >= PendingTexts.mostRows || bytes >= PendingTexts.mostBytes }

    mutating func add(_ row: borrowing IndexRowView) {
        let id = row.withID { id in unsafe id.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
        let key = row.withKeyJSON { json in unsafe json.withUnsafeBytes { unsafe Array($0) } }
        let value = row.withValueJSON { json in unsafe json.withUnsafeBytes { unsafe Array($0) } }
        keys.append((key, id))
        values.append(value ?? Array("null".utf8))
        bytes += key.count + (value?.count ?? 0)
    }

    /// Returns the rows, and has none afterwards.
    mutating func take() -> ReduceTexts {
        defer { self = PendingTexts() }
        return ReduceTexts(keys: keys, values: values)
    }
}
