internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// A folder for an LMDB store, removed when the test ends.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "settee-lmdb-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(
        _ options: StorageOptions = StorageOptions(create: true, durability: .normal),
        mapSize: Int? = nil
    ) throws(StorageError) -> LMDBStore {
        try LMDBStore(directory: path, options: options, mapSize: mapSize)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    var dataFile: String { path + "/data.mdb" }

    func dataSize() throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: dataFile)[.size] as? Int)
    }
    var names: Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []) }
}

extension LMDBTransaction {
    func value(_ key: String, in table: Table = .documents) throws(StorageError) -> [UInt8]? {
        var key = key
        var result: [UInt8]?
        _ = try key.withBytes { (key) throws(StorageError) in
            try withValue(of: key, in: table) { (value) throws(StorageError) in result = value.map { Array($0) } }
        }
        return result
    }

    @discardableResult
    func put(
        _ key: String,
        _ value: [UInt8],
        in table: Table = .documents,
        mode: PutMode = .upsert
    ) throws(StorageError) -> Bool {
        var key = key
        return try key.withBytes { (key) throws(StorageError) in
            try put(key, in: table, length: value.count, mode: mode) { $0.copyBytes(from: value) }
        }
    }

    @discardableResult
    func remove(_ key: String, in table: Table = .documents) throws(StorageError) -> Bool {
        var key = key
        return try key.withBytes { (key) throws(StorageError) in try remove(key, in: table, mode: .asked) }
    }

    /// The keys of a table in order.
    func keys(_ table: Table = .documents) throws(StorageError) -> [String] {
        let cursor = try cursor(table)
        defer { cursor.close() }
        var keys: [String] = []
        var isThere = try cursor.seek(.first)
        while isThere {
            keys.append(cursor.keyText)
            isThere = try cursor.next()
        }
        return keys
    }
}

extension LMDBCursor {
    var keyText: String { String(decoding: key, as: UTF8.self) }

    func seek(atOrAfter key: String) throws(StorageError) -> Bool {
        var key = key
        return try key.withBytes { (key) throws(StorageError) in try seek(.atOrAfter(key)) }
    }

    func seek(before key: String) throws(StorageError) -> Bool {
        var key = key
        return try key.withBytes { (key) throws(StorageError) in try seek(.before(key)) }
    }
}

extension LMDBStore {
    func read<R>(_ body: (LMDBTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
        let transaction = try beginRead()
        defer { transaction.end() }
        return try body(transaction)
    }

    @discardableResult
    func write<R>(_ body: (LMDBTransaction) throws(StorageError) -> R) throws(StorageError) -> R {
        let transaction = try beginWrite()
        defer { transaction.end() }
        let result = try body(transaction)
        try transaction.commit()
        return result
    }
}

extension String {
    fileprivate mutating func withBytes<R>(
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let bytes = Array(utf8)
        var result: Result<R, StorageError>?
        bytes.withUnsafeBytes { bytes in
            do throws(StorageError) {
                result = .success(try body(bytes))
            } catch {
                result = .failure(error)
            }
        }
        guard let result else { throw StorageError(.unexpected, "The closure was not called.") }
        return try result.get()
    }
}

/// The code of the error that `body` throws, nil if it throws none.
func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StorageError)?.code
    }
}
