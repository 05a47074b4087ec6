import CSetteeLMDB
import Foundation
import StorageProtocol

@testable import SetteeKV

/// An LMDB environment of its own, written through the C interface.
final class PageFolder {
    static let tables = ["documents", "sequences", "rows", "info", "chunks"]

    struct Failure: Error { var code: CInt }

    let directory: String
    var path: String { directory + "/data.mdb" }
    private var environment: OpaquePointer?
    private(set) var handles: [MDB_dbi] = []

    /// An empty folder.
    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Opens the environment and its tables, creating those that are missing.
    func open() throws {
        try check(mdb_env_create(&environment))
        try check(mdb_env_set_maxdbs(environment, 64))
        try check(mdb_env_set_mapsize(environment, 1 << 30))
        try check(mdb_env_open(environment, directory, UInt32(MDB_NOTLS | MDB_NOSYNC), 0o600))
        handles = []
        let transaction = try begin()
        for name in Self.tables {
            var handle: MDB_dbi = 0
            try check(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &handle))
            handles.append(handle)
        }
        try check(mdb_txn_commit(transaction))
    }

    func close() {
        if let environment { mdb_env_close(environment) }
        environment = nil
    }

    func begin(readOnly: Bool = false) throws -> OpaquePointer {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, readOnly ? UInt32(MDB_RDONLY) : 0, &transaction))
        return transaction!
    }

    func write(_ body: (OpaquePointer) throws -> Void) throws {
        let transaction = try begin()
        do {
            try body(transaction)
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try check(mdb_txn_commit(transaction))
    }

    func put(_ key: [UInt8], _ value: [UInt8], table: Int, _ transaction: OpaquePointer) throws {
        var key = key
        var value = value
        let code = key.withUnsafeMutableBytes { keyBytes in
            value.withUnsafeMutableBytes { valueBytes in
                var k = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
                var v = MDB_val(mv_size: valueBytes.count, mv_data: valueBytes.baseAddress)
                return mdb_put(transaction, handles[table], &k, &v, 0)
            }
        }
        try check(code)
    }

    /// Reserves room for a value, and writes only its first bytes, as far as `value` reaches.
    func reserve(_ key: [UInt8], _ length: Int, table: Int, _ transaction: OpaquePointer) throws {
        var key = key
        let code = key.withUnsafeMutableBytes { keyBytes in
            var k = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
            var v = MDB_val(mv_size: length, mv_data: nil)
            return mdb_put(transaction, handles[table], &k, &v, UInt32(MDB_RESERVE))
        }
        try check(code)
    }

    func remove(_ key: [UInt8], table: Int, _ transaction: OpaquePointer) throws {
        var key = key
        let code = key.withUnsafeMutableBytes { keyBytes in
            var k = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
            return mdb_del(transaction, handles[table], &k, nil)
        }
        if code != MDB_NOTFOUND { try check(code) }
    }

    func empty(table: Int, _ transaction: OpaquePointer) throws {
        try check(mdb_drop(transaction, handles[table], 0))
    }

    /// The file as it is now.
    var bytes: [UInt8] {
        get throws { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
    }

    /// Writes a file that is no longer, or not yet, open.
    func replace(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    /// What the walk of all pages finds.
    func walk() throws -> [String] { try PageFolder.walk(path) }

    static func walk(_ path: String) throws -> [String] {
        do throws(PageFault) {
            let file = try PageFile(path: path)
            var walk = try PageWalk(file, MetaPages(file).newest)
            try walk.walkAll()
            return walk.problems.map(\.message)
        } catch {
            guard case .damage(let what) = error else { throw error }
            return [what]
        }
    }

    private func check(_ code: CInt) throws {
        if code != 0 { throw Failure(code: code) }
    }
}
