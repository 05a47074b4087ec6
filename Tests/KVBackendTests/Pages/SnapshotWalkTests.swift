import CSetteeLMDB
import Foundation
import StorageProtocol
import Synchronization
import Testing

@testable import SetteeKV

/// The page reader while another thread writes.
@Suite struct SnapshotWalkTests {
    /// Commits as fast as it can, until told to stop.
    private final class Writer: @unchecked Sendable {
        // Sendable since only its thread uses the folder's write transactions, and the flag is atomic.
        private let isEnding = Atomic(false)
        private let done = DispatchSemaphore(value: 0)

        init(_ folder: PageFolder, seed: UInt64) {
            nonisolated(unsafe) let folder = folder
            Thread.detachNewThread { [self] in
                var history = PageHistory(seed: seed, largestValue: 9_000)
                while !isEnding.load(ordering: .relaxed) { try? history.step(folder, operations: 20) }
                history.end()
                done.signal()
            }
        }

        func end() {
            isEnding.store(true, ordering: .relaxed)
            done.wait()
        }
    }

    private func snapshot(_ folder: PageFolder, _ body: (UInt64) throws(StorageError) -> Void) throws(StorageError) {
        guard let transaction = try? folder.begin(readOnly: true) else {
            throw StorageError(.storage, "no transaction")
        }
        defer { mdb_txn_abort(transaction) }
        try body(UInt64(mdb_txn_id(transaction)))
    }

    @Test func thereIsNoFalseAlarm() throws {
        let folder = try PageFolder()
        try folder.open()
        let writer = Writer(folder, seed: 7)
        defer { writer.end() }
        let end = Date(timeIntervalSinceNow: 3)
        var rounds = 0
        while Date() < end || rounds < 5 {
            rounds += 1
            var problems: [String] = []
            try DamageCheck.verify(path: folder.path) { (body) throws(StorageError) in
                try snapshot(folder, body)
            } _: {
                problems.append("\($0)")
            }
            #expect(problems == [])
            do throws(StorageError) {
                try QuickCheck.run(path: folder.path)
            } catch {
                // Only tests commit that often.
                #expect(error.code == .busy)
            }
        }
    }

    /// A transaction that two commits have overtaken is no longer in the meta pages.
    @Test func aSnapshotThatIsTooOldIsBegunAnew() throws {
        let folder = try PageFolder()
        try folder.open()
        var calls = 0
        try DamageCheck.requireSound(path: folder.path) { (body) throws(StorageError) in
            calls += 1
            try snapshot(folder) { (transaction) throws(StorageError) in
                if calls == 1 {
                    for number in 0..<2 as Range<UInt8> {
                        try? folder.write { try folder.put([number], [1], table: 0, $0) }
                    }
                }
                try body(transaction)
            }
        }
        #expect(calls == 2)
    }

    @Test func damageIsNamedAndCounted() throws {
        var file = try DamageBench.file(seed: 3)
        let folder = try PageFolder()
        try folder.replace(file)
        let meta = try MetaPages(PageFile(path: folder.path)).newest
        var walk = try PageWalk(PageFile(path: folder.path), meta)
        try walk.walkAll()
        let table = try #require(walk.tables.first { $0.record.depth > 1 })
        file[Int(table.record.root) * 4_096 + 10] = 4
        try folder.replace(file)
        let error = #expect(throws: StorageError.self) {
            try DamageCheck.requireSound(path: folder.path) { (body) throws(StorageError) in try body(meta.transaction)
            }
        }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("'\(table.name)'") == true)
        #expect(error?.message.contains("(1 such problems in all)") == true)
        #expect(error?.message.contains("settee check") == true)
    }
}
