internal import Foundation
internal import SetteeSQLCipher
internal import StorageProtocol
internal import Testing

/// One changed byte anywhere in a page is reported: by the check, and by the read that finds it. SQLCipher by itself
/// returns zeros for the last page of a long value, and takes a page of zeros for one that was never written.
@Suite(.disabled(if: isSanitized, "a sanitizer lets no second SQLite in"))
struct DamageTests {
    static let pageSize = 4096

    /// A closed store with pages of every kind: inner ones and leaves, long values in every table, free ones.
    private static func filled() throws -> CipherStore {
        let store = try CipherStore()
        let engine = try store.open()
        try engine.write { (tx) throws(StorageError) in
            for number in 0..<260 { try tx.insert(name(number), body(number, length: number % 500)) }
            for (number, length) in [(900, 3_000), (901, 4_100), (902, 9_000), (903, 40_000)] {
                try tx.insert(name(number), body(number, length: length))
                try tx.setExpiration(Int64(number), of: DocumentID(name(number)))
                try tx.setInfo([UInt8](repeating: 1, count: length / 2), for: "info \(number)")
                let id = try DocumentID("_local/\(number)")
                try tx.putLocalDocument(
                    id,
                    revision: unsafe Array("1-local 00000000".utf8).span.bytes,
                    json: unsafe body(number, length: length).span.bytes
                )
            }
            // An ID whose order is decided in its last page.
            try tx.insert("long" + String(repeating: "i", count: 12_000) + "1", body(1, length: 10))
            try tx.insert("long" + String(repeating: "i", count: 12_000) + "2", body(2, length: 10))
            try tx.setIndexState("index", IndexState(version: "1", collationVersion: "1"))
            let key = [UInt8](repeating: 3, count: 6_000)
            let row = IndexRow(key: key, keyJSON: body(1, length: 5_000), valueJSON: body(2, length: 2_000))
            try tx.replaceIndexRows("index", of: DocumentID(name(3)), sequence: 4, rows: [row, row])
            var entries = IndexEntries()
            unsafe entries.append(key: key.span.bytes, value: [UInt8](repeating: 4, count: 15_000).span.bytes)
            try tx.putIndexEntries("index", entries)
        }
        try engine.write { (tx) throws(StorageError) in
            let sequence = try tx.counters().lastSequence
            try tx.update(name(903), body(903, length: 11), keeping: 264)
            for number in 100..<160 {
                try tx.purge(DocumentID(name(number)), sequence: sequence + 2 + UInt64(number - 100))
            }
        }
        engine.close()
        return store
    }

    /// Changes each page in turn, and looks at what the check, all reads and a copy make of it.
    private func damageEachPage(_ change: (_ page: [UInt8], _ number: Int) -> [(offset: Int, bytes: [UInt8])]) throws {
        let store = try Self.filled()
        let sound = try store.open()
        let content = try sound.everything()
        let free = try sound.statistics().freeBytes
        #expect(try sound.problems() == [])
        sound.close()
        #expect(free >= 3 * UInt64(Self.pageSize), "there are free pages")
        let bytes = try store.fileBytes
        let pages = bytes.count / Self.pageSize
        var (refusedReads, unmetByReads) = (0, 0)
        for page in 1..<pages {
            let start = page * Self.pageSize
            for (offset, damage) in change(Array(bytes[start..<start + Self.pageSize]), page + 1) {
                try store.overwrite(damage, at: start + offset)
                defer { try? store.overwrite(Array(bytes[start..<start + Self.pageSize]), at: start) }
                let what = Comment(rawValue: "page \(page + 1) of \(pages), byte \(offset)")
                let engine: any StorageEngine
                do {
                    engine = try store.open()
                } catch {
                    #expect(error.code == .corrupt, what)
                    continue
                }
                defer { engine.close() }
                #expect(try engine.problems().contains("pages: Page \(page + 1) is not as it was written."), what)
                do {
                    #expect(try engine.everything() == content, what)
                    unmetByReads += 1
                } catch {
                    #expect(error.code == .corrupt, what)
                    refusedReads += 1
                }
                let copy = try CipherStore()
                do {
                    try engine.copy(toDirectory: copy.directory) { (_, _) throws(StorageError) in }
                    let copied = try copy.open()
                    #expect(try copied.everything() == content, what)
                    copied.close()
                } catch {
                    #expect(error.code == .corrupt, what)
                }
            }
        }
        #expect(refusedReads > pages / 2, "most pages are read")
        #expect(unmetByReads > 0, "some are free")
        let mended = try store.open()
        #expect(try mended.everything() == content)
        mended.close()
    }

    @Test func aChangedByteIsTold() throws {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        try damageEachPage { page, number in
            // The code is followed by 12 unused bytes.
            let offset = Int((seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15) % UInt64(Self.pageSize - 12))
            return [offset, Self.pageSize - 13].map { ($0, [page[$0] ^ (1 << UInt8(number % 8))]) }
        }
    }

    @Test func aPageOfZerosIsTold() throws {
        try damageEachPage { page, _ in [(0, [UInt8](repeating: 0, count: page.count))] }
    }

    /// A damaged last page of a long body never becomes part of what is written, and the transaction that reads it is
    /// over.
    @Test func aWriteMakesNothingOfDamage() throws {
        let store = try CipherStore()
        let engine = try store.open()
        try engine.write { (tx) throws(StorageError) in
            try tx.insert("a", body(1, length: 9_000))
            try tx.insert("b", body(2, length: 10))
        }
        engine.close()
        let bytes = try store.fileBytes
        var told = 0
        for page in 1..<bytes.count / Self.pageSize {
            let start = page * Self.pageSize
            try store.overwrite([bytes[start + 50] ^ 1], at: start + 50)
            if let engine = try? store.open() {
                let found = code {
                    try engine.write { (tx) throws(StorageError) in try tx.update("a", body(3, length: 5), keeping: 1) }
                }
                #expect(found == nil || found == .corrupt)
                if found == .corrupt { told += 1 }
                let kept = code {
                    try engine.read { (now) throws(StorageError) in
                        try now.revisionBodies { (_, _, json) throws(StorageError) in
                            let kept = unsafe json.withUnsafeBytes { Array($0) }
                            #expect(kept == body(1, length: 9_000))
                            return true
                        }
                    }
                }
                #expect(kept == nil || kept == .corrupt)
                engine.close()
            }
            try Data(bytes).write(to: URL(fileURLWithPath: store.path))
            try? FileManager.default.removeItem(atPath: store.path + "-wal")
            try? FileManager.default.removeItem(atPath: store.path + "-shm")
        }
        #expect(told >= 2)
    }

    /// A truncated file is refused, and so is one that was replaced by a plain one.
    @Test func whatIsNoEncryptedFileIsRefused() throws {
        let store = try Self.filled()
        let bytes = try store.fileBytes
        try Data(bytes.dropLast(100)).write(to: URL(fileURLWithPath: store.path))
        #expect(code { try store.open().close() } == .corrupt)
        try Data(bytes.dropLast(Self.pageSize)).write(to: URL(fileURLWithPath: store.path))
        #expect(code { _ = try store.open().everything() } == .corrupt)
        try Data("SQLite format 3\0".utf8 + bytes.dropFirst(16)).write(to: URL(fileURLWithPath: store.path))
        #expect(code { try store.open().close() } == .corrupt)
        try Data().write(to: URL(fileURLWithPath: store.path))
        #expect(code { try store.open().close() } == .corrupt)
    }

    /// A power loss during a checkpoint may leave half of page 1 in the file, and all of it in the log.
    @Test func aTornFirstPageIsMendedFromTheLog() throws {
        let store = try CipherStore()
        let engine = try store.open()
        try engine.write { (tx) throws(StorageError) in try tx.insert("a", body(1, length: 10)) }
        try engine.checkpoint()
        // Page 1 goes to the log, with one more table.
        try engine.write { (tx) throws(StorageError) in
            try tx.setIndexState("index", IndexState(version: "1", collationVersion: "1"))
        }
        let files = try store.files
        engine.close()
        let torn = try CipherStore()
        for (name, content) in files where !name.hasSuffix("-shm") {
            try content.write(to: URL(fileURLWithPath: torn.directory + "/" + name))
        }
        try torn.overwrite([UInt8](repeating: 0xAA, count: 2048), at: 2048)
        try SQLCipherEngineFactory().authorize(directory: torn.directory, options: StorageOptions(key: torn.key))
        #expect(
            code {
                try SQLCipherEngineFactory().authorize(
                    directory: torn.directory,
                    options: StorageOptions(key: rawKey(9))
                )
            } == .unauthorized
        )
        let again = try torn.open()
        #expect(try again.read { (now) throws(StorageError) in try now.indexNames() } == ["index"])
        #expect(try again.problems() == [])
        again.close()
    }

    /// Not reported as a wrong key: the key was right when the store was opened.
    @Test func aFirstPageThatIsDamagedLaterIsDamage() throws {
        let store = try Self.filled()
        let engine = try store.open()
        _ = try engine.everything()
        try store.overwrite([1, 2, 3, 4], at: 3_000)
        let snapshots = [try engine.beginRead()]
        defer { for snapshot in snapshots { snapshot.end() } }
        #expect(code { try engine.beginRead().end() } == .corrupt)
    }

    @Test func damageToTheLogIsFoundByTheCheck() throws {
        let store = try CipherStore()
        let engine = try store.open()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in try tx.insert("a", body(1, length: 20_000)) }
        #expect(try engine.problems() == [])
        let log = store.path + "-wal"
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: log)))
        // In the first page of the log.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try file.seek(toOffset: 32 + 24 + 700)
        try file.write(contentsOf: Data([bytes[32 + 24 + 700] ^ 1]))
        try file.close()
        #expect(try engine.problems().contains("log: The page in frame 1 of the log is not as it was written."))
    }
}
