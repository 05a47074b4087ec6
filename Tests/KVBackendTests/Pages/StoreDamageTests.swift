import Foundation
import StorageProtocol
import Testing

@testable import SetteeKV

/// The store, with a damaged file.
@Suite struct StoreDamageTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("damage-\(UUID())").path
    private var path: String { directory + "/data.mdb" }

    /// A store of 3,000 documents.
    init() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let store = try open(create: true)
        try write(3_000, store)
        store.close()
    }

    private func open(create: Bool = false, verify: Bool = false) throws(StorageError) -> LMDBStore {
        let options = StorageOptions(create: create, durability: .normal, verifyOnOpen: verify)
        return try LMDBStore(directory: directory, options: options, mapSize: 1 << 30)
    }

    private func write(_ count: Int, _ store: LMDBStore) throws {
        let transaction = try store.beginWrite()
        for number in 0..<count {
            let key = Array("document \(number)".utf8)
            _ = try key.withUnsafeBytes { key in
                try transaction.put(key, in: .documents, length: 200, mode: .upsert) { memory in
                    for place in memory.indices { memory[place] = UInt8(truncatingIfNeeded: place) }
                }
            }
        }
        try transaction.commit()
    }

    private func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func replace(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    private func problems(_ store: LMDBStore) throws -> [StorageProblem] {
        var problems: [StorageProblem] = []
        try store.verify { problems.append($0) }
        return problems
    }

    /// The file with a leaf page of `documents` damaged, which the quick check does not see.
    private func damaged() throws -> [UInt8] {
        var file = try bytes()
        let reader = try PageFile(path: path)
        let meta = try MetaPages(reader).newest
        var walk = try PageWalk(reader, meta)
        try walk.walkAll()
        let table = try #require(walk.tables.first { $0.name == "documents" })
        let root = try NodePage(reader, table.record.root, pageSize: meta.pageSize)
        try #require(!root.isLeaf)
        let child = Int(root.child(1)) * meta.pageSize
        file[child + 12] = 0xFF
        file[child + 13] = 0xFF
        return file
    }

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    @Test func verifyFindsNothingInASoundStore() throws {
        defer { cleanUp() }
        let store = try open(verify: true)
        defer { store.close() }
        #expect(try problems(store).isEmpty)
        // Also during a write transaction that is not committed.
        let transaction = try store.beginWrite()
        #expect(try problems(store).isEmpty)
        transaction.end()
        try write(100, store)
        #expect(try problems(store).isEmpty)
    }

    @Test func theStoreEstimatesItsFill() throws {
        defer { cleanUp() }
        let store = try open()
        defer { store.close() }
        let estimate = try store.fillEstimate()
        #expect(estimate.leafPages > 100)
        #expect(estimate.fill > 0.3 && estimate.fill <= 1)
    }

    @Test func verifyNamesTheTableAndThePage() throws {
        defer { cleanUp() }
        try replace(damaged())
        let store = try open()
        defer { store.close() }
        let problems = try problems(store)
        #expect(problems.count == 1)
        #expect(problems.first?.area == "pages")
        #expect(problems.first?.message.contains("the table 'documents': page ") == true)
    }

    @Test func theWalkAtOpenRefuses() throws {
        defer { cleanUp() }
        try replace(damaged())
        #expect(throws: StorageError.self) { try open(verify: true) }
        // That leaves nothing open.
        let store = try open()
        let error = #expect(throws: StorageError.self) { try open(verify: true) }
        #expect(error?.code == .corrupt)
        store.close()
    }

    @Test func aSuspectStoreIsWalkedUntilItIsSound() throws {
        defer { cleanUp() }
        let sound = try bytes()
        try replace(damaged())
        SuspectMark.set(in: directory)
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) { try open() }
            #expect(error?.code == .corrupt)
            #expect(SuspectMark.isSet(in: directory))
        }
        try replace(sound)
        try open().close()
        #expect(!SuspectMark.isSet(in: directory))
    }

    @Test func truncatedFilesAreRefused() throws {
        defer { cleanUp() }
        let file = try bytes()
        let used = Int(try MetaPages(PageFile(path: path)).newest.lastPage) + 1
        for pages in stride(from: 0, to: used, by: 7) {
            try replace(Array(file[..<(pages * 4_096)]))
            let error = #expect(throws: StorageError.self, "\(pages) of \(used) pages") { try open(create: true) }
            #expect(error?.code == .corrupt)
        }
    }

    @Test func damagedRootsAreRefused() throws {
        defer { cleanUp() }
        let file = try bytes()
        let meta = try MetaPages(PageFile(path: path)).newest
        var walk = try PageWalk(PageFile(path: path), meta)
        try walk.walkAll()
        for record in [meta.freeList, meta.main] + walk.tables.map(\.record) where !record.isEmpty {
            for place in [0, 10, 12, 14, 16] {
                var bytes = file
                bytes[Int(record.root) * 4_096 + place] ^= 0xFF
                try replace(bytes)
                let error = #expect(throws: StorageError.self) { try open() }
                #expect(error?.code == .corrupt)
            }
        }
    }
}
