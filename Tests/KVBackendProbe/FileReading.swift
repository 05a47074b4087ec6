internal import CSetteeLMDB
internal import SetteeSystemLibrary

/// All entries of a data file, as LMDB gives them.
struct FileReading {
    private static let large: UInt32 = 1 << 30

    private var entries = 0
    private var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private var code: CInt = 0

    init(path: String) {
        var environment: OpaquePointer?
        unsafe mdb_env_create(&environment)
        defer { unsafe mdb_env_close(environment) }
        unsafe mdb_env_set_maxdbs(environment, 64)
        unsafe mdb_env_set_mapsize(environment, Int(Self.large))
        code = unsafe mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK), 0o600)
        guard code == 0 else { return }
        var transaction: OpaquePointer?
        code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
        guard code == 0 else { return }
        defer { unsafe mdb_txn_abort(transaction) }
        var main: MDB_dbi = 0
        code = unsafe mdb_dbi_open(transaction, nil, 0, &main)
        guard code == 0 else { return }
        var names: [[CChar]] = []
        unsafe readTable(main, transaction) { names.append($0 + [0]) }
        for name in names {
            var table: MDB_dbi = 0
            let opened = unsafe name.withUnsafeBufferPointer {
                unsafe mdb_dbi_open(transaction, $0.baseAddress, 0, &table)
            }
            if opened != 0 {
                if opened != MDB_INCOMPATIBLE && opened != MDB_NOTFOUND { code = opened }
                continue
            }
            unsafe readTable(table, transaction) { _ in }
        }
    }

    var line: String { code == 0 ? "\(entries) \(String(digest, radix: 16))" : "error \(code)" }

    private mutating func readTable(_ table: MDB_dbi, _ transaction: OpaquePointer?, _ name: ([CChar]) -> Void) {
        var cursor: OpaquePointer?
        let opened = unsafe mdb_cursor_open(transaction, table, &cursor)
        guard opened == 0 else {
            code = opened
            return
        }
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        while true {
            let moved = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            if moved == MDB_NOTFOUND { return }
            guard moved == 0 else {
                code = moved
                return
            }
            entries += 1
            unsafe add(key)
            unsafe add(value)
            name(unsafe bytes(key).map { CChar(bitPattern: $0) })
            // The way down from the root, too.
            var found = unsafe MDB_val()
            let got = unsafe mdb_get(transaction, table, &key, &found)
            guard got == 0 else {
                code = got
                return
            }
            unsafe add(found)
        }
    }

    private mutating func add(_ value: MDB_val) {
        digest = unsafe bytes(value).reduce(digest) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        digest = (digest ^ 0x1FF) &* 0x100_0000_01B3
    }

    private func bytes(_ value: MDB_val) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    }
}
