internal import Foundation
internal import SetteeSQLCipher
internal import SetteeSQLite
internal import StorageProtocol
internal import Testing

/// Another database's log beside an encrypted file used to be moved into it by whatever opened it, even a check: the
/// first page was then another file's, and everything was lost.
@Suite(.disabled(if: isSanitized, "a sanitizer lets no second SQLite in"))
struct ForeignLogTests {
    enum Source: CaseIterable {
        case otherKey, plain, madeByHand, madeByHandForPageOne
    }

    enum Use: CaseIterable {
        case authorize, open, openReadOnly, openDespiteDamage
    }

    /// A closed store with 50 documents.
    private func filled(key: UInt8 = CipherStore.keyByte) throws -> CipherStore {
        let store = try CipherStore(key: key)
        let engine = try store.open()
        try engine.write { (tx) throws(StorageError) in
            for number in 0..<50 { try tx.insert(name(number), body(number, length: 100)) }
        }
        engine.close()
        return store
    }

    /// A log as a killed process leaves it.
    private func log(_ source: Source, beside store: CipherStore) throws -> Data {
        switch source {
        case .otherKey: return try log(of: CipherStore(key: 0x77)) { (other) throws(StorageError) in try other.open() }
        case .plain:
            return try log(of: CipherStore()) { (other) throws(StorageError) in
                try SQLiteEngineFactory().open(directory: other.directory, options: StorageOptions(create: true))
            }
        case .madeByHand, .madeByHandForPageOne:
            let page = (0..<4096).map { _ in UInt8.random(in: 0...255) }
            let number: UInt32 = source == .madeByHand ? 5 : 1
            return HandMadeLog.bytes([(number, page)], pages: UInt32(try store.fileBytes.count / 4096))
        }
    }

    private func log(
        of other: CipherStore,
        _ open: (CipherStore) throws(StorageError) -> any StorageEngine
    ) throws -> Data {
        let engine = try open(other)
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            for number in 0..<100 { try tx.insert(name(number), body(number, length: 100)) }
        }
        return try Data(contentsOf: URL(filePath: other.path + "-wal"))
    }

    private func use(_ way: Use, _ store: CipherStore) throws {
        var options = StorageOptions(readOnly: way == .openReadOnly, key: store.key)
        options.toleratesDamage = way == .openDespiteDamage
        if way == .authorize {
            try SQLCipherEngineFactory().authorize(directory: store.directory, options: options)
        } else {
            try SQLCipherEngineFactory().open(directory: store.directory, options: options).close()
        }
    }

    @Test(arguments: Source.allCases)
    func isRefusedAndNothingChanges(_ source: Source) throws {
        let store = try filled()
        let sound = try store.open()
        let content = try sound.everything()
        sound.close()
        try log(source, beside: store).write(to: URL(filePath: store.path + "-wal"))
        let before = try store.files
        for way in Use.allCases {
            #expect(code { try use(way, store) } == .corrupt, "\(way)")
            #expect(try store.files == before, "\(way)")
        }
        try FileManager.default.removeItem(atPath: store.path + "-wal")
        let engine = try store.open()
        defer { engine.close() }
        #expect(try engine.everything() == content)
        #expect(try engine.problems() == [])
    }

    /// If one frame is not its own, the whole log belongs to another file.
    @Test func oneForeignFrameIsEnough() throws {
        let store = try filled()
        let engine = try store.open()
        try engine.write { (tx) throws(StorageError) in try tx.insert("new", body(1, length: 5000)) }
        let left = try CipherStore()
        for (name, bytes) in try store.files where name != "db.sqlite3-shm" {
            try bytes.write(to: URL(filePath: left.directory + "/" + name))
        }
        engine.close()
        let own = try Data(contentsOf: URL(filePath: left.path + "-wal"))
        let page = [UInt8](repeating: 9, count: 4096)
        let pages = UInt32(try left.fileBytes.count / 4096)
        try HandMadeLog.appending([(4, page)], pages: pages, to: own).write(to: URL(filePath: left.path + "-wal"))
        let before = try left.files
        #expect(code { try use(.open, left) } == .corrupt)
        #expect(try left.files == before)
        try own.write(to: URL(filePath: left.path + "-wal"))
        let again = try left.open()
        defer { again.close() }
        #expect(try again.everything().contains { $0.hasPrefix("new ") })
    }

    /// SQLite rolls a journal back into whatever file it is next to.
    @Test func aRollbackJournalIsRefused() throws {
        let store = try filled()
        var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0, 0, 0, 1])
        journal.append(Data(repeating: 0, count: 512 - journal.count))
        try journal.write(to: URL(filePath: store.path + "-journal"))
        let before = try store.files
        #expect(code { try use(.open, store) } == .corrupt)
        #expect(try store.files == before)
    }
}
