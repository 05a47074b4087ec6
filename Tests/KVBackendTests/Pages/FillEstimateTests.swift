import CSetteeLMDB
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// What compaction could gain, from a sample.
@Suite struct FillEstimateTests {
    private func estimate(_ folder: PageFolder, seed: UInt64) throws -> FillEstimate {
        let transaction = try folder.begin(readOnly: true)
        defer { mdb_txn_abort(transaction) }
        var random = SeededGenerator(seed: seed)
        return try #require(
            try FillEstimate.make(path: folder.path, transaction: UInt64(mdb_txn_id(transaction)), using: &random)
        )
    }

    /// The true average, of all leaf pages.
    private func truth(_ folder: PageFolder) throws -> Double {
        let file = try PageFile(path: folder.path)
        let meta = try MetaPages(file).newest
        var walk = try PageWalk(file, meta)
        try walk.walkAll()
        var sum = 0.0
        var count = 0.0
        func visit(_ number: UInt64) throws {
            let page = try NodePage(file, number, pageSize: 4_096)
            if page.isLeaf {
                sum += page.fill
                count += 1
            } else {
                for index in 0..<page.count { try visit(page.child(index)) }
            }
        }
        for record in [meta.main] + walk.tables.map(\.record) where !record.isEmpty { try visit(record.root) }
        return sum / count
    }

    private func fill(_ folder: PageFolder, _ count: Int) throws {
        try folder.write { transaction in
            for number in 0..<count {
                let key = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
                try folder.put(key, [UInt8](repeating: 7, count: 100), table: 0, transaction)
            }
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func isNearTheTruth(seed: UInt64) throws {
        let folder = try PageFolder()
        try folder.open()
        try fill(folder, 20_000)
        #expect(abs(try estimate(folder, seed: seed).fill - truth(folder)) < 0.1)
        // Two of three entries are removed, so that pages are less than half full.
        try folder.write { transaction in
            for number in 0..<20_000 where number % 3 != 0 {
                let key = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
                try folder.remove(key, table: 0, transaction)
            }
        }
        let after = try estimate(folder, seed: seed)
        #expect(abs(after.fill - (try truth(folder))) < 0.1)
        #expect(after.fill < 0.6)
        #expect(after.reclaimableBytes > after.pages * 4_096 * 3 / 10)
        #expect(after.reclaimableBytes < after.pages * 4_096)
    }

    /// The free pages are exact: those that no tree uses.
    @Test func countsFreePages() throws {
        let folder = try PageFolder()
        try folder.open()
        var history = PageHistory(seed: 11)
        defer { history.end() }
        for _ in 0..<10 {
            try history.step(folder, operations: 60)
            let file = try PageFile(path: folder.path)
            var walk = try PageWalk(file, MetaPages(file).newest)
            try walk.walkAll()
            #expect(try estimate(folder, seed: 1).freePages == walk.freePages)
        }
    }

    @Test func anEmptyStore() throws {
        let folder = try PageFolder()
        try folder.open()
        let estimate = try estimate(folder, seed: 1)
        #expect(estimate.pages >= 2)
        #expect(estimate.leafPages == 1)
        #expect(estimate.reclaimableBytes <= 4_096 * 2)
    }

    @Test func damageIsAnError() throws {
        var file = try DamageBench.file(seed: 3)
        let folder = try PageFolder()
        try folder.replace(file)
        let meta = try MetaPages(PageFile(path: folder.path)).newest
        for page in stride(from: 8_192, to: file.count, by: 4_096) { file[page + 10] = 0x40 }
        try folder.replace(file)
        var random = SeededGenerator(seed: 1)
        let error = #expect(throws: StorageError.self) {
            try FillEstimate.make(path: folder.path, transaction: meta.transaction, using: &random)
        }
        #expect(error?.code == .corrupt)
    }
}
