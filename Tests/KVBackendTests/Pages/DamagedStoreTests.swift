import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// A store whose file has damage that the quick check does not see: reading and writing either fails or continues, and
/// never crashes this process or goes on for ever.
@Suite struct DamagedStoreTests {
    private static let tables: [Table] = [.documents, .sequences, .rows, .chunks]
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil ? 5_000 : 20

    private let folder: TestFolder
    private let original: [UInt8]
    /// The pages of the tables.
    private let pages: [Int]

    /// Three levels of pages, values of all kinds, free pages.
    init() throws {
        folder = try TestFolder()
        var random = SeededGenerator(seed: 1)
        for step in 0..<3 {
            let store = try folder.open()
            try store.write { (now) throws(StorageError) in
                for number in 0..<1_500 where number % 3 != 3 - step {
                    for table in Self.tables {
                        let length = number % 50 == 7 ? 3_000 + random.below(9_000) : random.below(120)
                        try now.put(Self.key(number), [UInt8](repeating: UInt8(step), count: length), in: table)
                    }
                }
                for number in stride(from: step, to: 1_500, by: 11) {
                    for table in Self.tables { try now.remove(Self.key(number), in: table) }
                }
            }
            store.close()
        }
        original = Array(try Data(contentsOf: URL(fileURLWithPath: folder.dataFile)))
        let file = try PageFile(path: folder.dataFile)
        var walk = try PageWalk(file, MetaPages(file).newest)
        try walk.walkAll()
        try #require(walk.problems.isEmpty)
        let free = Set(walk.freeList(of: file))
        let bytes = original
        pages = (2..<original.count / 4_096).filter { page in
            !free.contains(page) && bytes.u64(page * 4_096) == UInt64(page)
                && [1, 2, 4].contains(bytes.u16(page * 4_096 + 10))
        }
        try #require(walk.tables.allSatisfy { $0.record.isEmpty || $0.record.depth > 1 || $0.name == "meta" })
    }

    private static func key(_ number: Int) -> String { "\(number) " + String(repeating: "k", count: number % 90) }

    private func damage(_ seed: UInt64) throws -> (RandomDamage, String) {
        var damage = RandomDamage(seed: seed)
        var bytes = original
        var names: [String] = []
        for _ in 0...damage.random.below(3) { names.append(damage.strike(&bytes, pages: pages)) }
        try FileManager.default.removeItem(atPath: folder.dataFile)
        try folder.write(bytes, to: "data.mdb")
        SuspectMark.clear(in: folder.path)
        return (damage, "seed \(seed): " + names.joined(separator: ", "))
    }

    /// Runs a part of a test; nothing but damage may be found.
    private func attempt(_ what: String, _ body: () throws(StorageError) -> Void) {
        do throws(StorageError) {
            try body()
        } catch {
            #expect(error.code == .corrupt, "\(what): \(error)")
        }
    }

    @Test func reading() throws {
        for seed in 0..<UInt64(Self.rounds) {
            var (damage, name) = try damage(seed)
            attempt(name) { () throws(StorageError) in
                let store = try folder.open(StorageOptions(toleratesDamage: true))
                defer { store.close() }
                try store.read { (now) throws(StorageError) in
                    for table in Self.tables {
                        attempt(name) { () throws(StorageError) in try walk(now, table, name, ascending: true) }
                        attempt(name) { () throws(StorageError) in try walk(now, table, name, ascending: false) }
                        for _ in 0..<30 {
                            let key = Self.key(damage.random.below(1_600))
                            attempt(name) { () throws(StorageError) in touch(try now.value(key, in: table)) }
                            attempt(name) { () throws(StorageError) in
                                let cursor = try now.cursor(table)
                                if try cursor.seek(atOrAfter: key) {
                                    let found = cursor.keyText
                                    #expect(found >= key, "\(name)")
                                    touch(Array(cursor.value))
                                    // With a wrong key in a branch page it may yet be above what was sought.
                                    if try cursor.previous() { #expect(cursor.keyText < found, "\(name)") }
                                }
                                if try cursor.seek(before: key) { #expect(cursor.keyText < key, "\(name)") }
                            }
                        }
                    }
                }
            }
        }
    }

    /// A search that meets an equal key has not seen the one before it.
    @Test func theEntryBeforeAnEqualKeyIsBelowIt() throws {
        let folder = try TestFolder()
        var store = try folder.open()
        try store.write { (now) throws(StorageError) in
            for key in ["key a", "key b", "key c", "key d", "key e"] { try now.put(key, [1], in: .documents) }
        }
        store.close()
        var file = Array(try Data(contentsOf: URL(fileURLWithPath: folder.dataFile)))
        let text = Array("key b".utf8)
        for place in file.indices.dropLast(text.count) where file[place..<place + text.count].elementsEqual(text) {
            file[place + 4] = UInt8(ascii: "x")
        }
        try folder.write(file, to: "data.mdb")
        store = try folder.open(StorageOptions(toleratesDamage: true))
        defer { store.close() }
        try store.read { (now) throws(StorageError) in
            let cursor = try now.cursor(.documents)
            defer { cursor.close() }
            #expect(throws: StorageError.self) { try cursor.seek(before: "key c") }
            #expect(try cursor.seek(before: "key e") && cursor.keyText == "key d")
        }
    }

    /// Visits all entries, each of which is above, or below, the one before.
    private func walk(
        _ now: LMDBTransaction,
        _ table: Table,
        _ name: String,
        ascending: Bool
    ) throws(StorageError) {
        let cursor = try now.cursor(table)
        defer { cursor.close() }
        var last: [UInt8]?
        var isThere = try cursor.seek(ascending ? .first : .last)
        while isThere {
            let key = Array(cursor.key)
            if let last { #expect((compareBytes(last, key) < 0) == ascending, "\(name)") }
            last = key
            touch(Array(cursor.value))
            isThere = try ascending ? cursor.next() : cursor.previous()
        }
    }

    private func touch(_ bytes: [UInt8]?) { _ = bytes }

    @Test func writing() throws {
        for seed in 0..<UInt64(Self.rounds) {
            var (damage, name) = try damage(10_000 + seed)
            attempt(name) { () throws(StorageError) in
                let store = try folder.open()
                defer { store.close() }
                for _ in 0..<3 {
                    attempt(name) { () throws(StorageError) in
                        try store.write { (now) throws(StorageError) in
                            for _ in 0..<60 { try change(now, &damage.random) }
                        }
                    }
                }
            }
        }
    }

    private func change(_ now: LMDBTransaction, _ random: inout SeededGenerator) throws(StorageError) {
        let table = Self.tables[random.below(Self.tables.count)]
        let key = Self.key(random.below(1_600))
        switch random.below(6) {
        case 0, 1:
            let length = random.below(8) == 0 ? random.below(12_000) : random.below(300)
            try now.put(key, [UInt8](repeating: 7, count: length), in: table)
        case 2:
            try now.remove(key, in: table)
        case 3:
            touch(try now.value(key, in: table))
        case 4:
            try now.put(
                String(repeating: "z", count: 400) + "\(random.below(1_000_000))",
                [1],
                in: table,
                mode: .insert
            )
        default:
            let cursor = try now.cursor(table)
            defer { cursor.close() }
            let isForward = random.below(2) == 0
            var isThere = try isForward ? cursor.seek(atOrAfter: key) : cursor.seek(before: key)
            for _ in 0..<40 where isThere {
                touch(Array(cursor.value))
                if random.below(3) == 0 { try cursor.remove() }
                isThere = try isForward ? cursor.next() : cursor.previous()
            }
        }
    }
}

extension PageWalk {
    /// The pages that the free list of the walk's snapshot names, where it fits one page.
    fileprivate func freeList(of file: PageFile) -> [Int] {
        guard meta.freeList.depth == 1, let page = try? NodePage(file, meta.freeList.root, pageSize: meta.pageSize)
        else {
            return []
        }
        return (0..<page.count).flatMap { index -> [Int] in
            let words = Array(page.value(index))
            guard page.flags(index) == 0, words.count >= 8 else { return [] }
            return stride(from: 8, to: words.count - 7, by: 8).map { Int(words.u64($0)) }
        }
    }
}
