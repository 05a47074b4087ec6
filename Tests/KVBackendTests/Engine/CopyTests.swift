internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// Copies are equal entry for entry, and packed.
@Suite
struct CopyTests {
    @Test("a copy in several transactions holds the same entries in every table, in fewer bytes")
    func sameEntries() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        let long = String(repeating: "x", count: 200_000)
        for batch in 0..<10 {
            try engine.write { (tx) throws(StorageError) in
                for n in 0..<20 {
                    let name = "\(batch)-\(n)"
                    try tx.add(name, #"{"x":"\#(long)\#(n)"}"#)
                    if n % 3 == 0 { try tx.change(name) }
                    if n % 5 == 1 { try tx.setExpiration(Int64(n), of: DocumentID(name)) }
                    if n % 2 == 1 { try tx.purge(name) }
                }
                try tx.add(String(repeating: "k", count: 1_000 + batch))
            }
        }
        let target = try TestFolder()
        var steps: [UInt64] = []
        try engine.copy(toDirectory: target.path) { (done, total) throws(StorageError) in
            #expect(done <= total)
            steps.append(done)
        }
        #expect(steps.count > 2 && steps == steps.sorted(), "told of more than the beginning and the end")
        let copy = try target.openEngine()
        defer { copy.close() }
        for table in Table.allCases {
            #expect(try copy.entries(table) == engine.entries(table), "the table '\(table.name)'")
        }
        #expect(try copy.problems() == [])
        #expect(try copy.statistics().bytesOnDisk < engine.statistics().bytesOnDisk)
    }

    @Test("a copy fails if the engine is closed during it")
    func closedMeanwhile() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        try engine.write { (tx) throws(StorageError) in try tx.add("a") }
        let target = try TestFolder()
        #expect(
            code {
                try engine.copy(toDirectory: target.path) { (_, _) throws(StorageError) in engine.close() }
            } == .notOpen
        )
        #expect(engine.openTransactions == 0)
    }

    /// A copy used to be one long snapshot: all pages that writers freed meanwhile were kept, and the file grew with
    /// each commit.
    @Test("a copy pins no pages while this process writes, and has its last commit")
    func pinsNothing() throws {
        let folder = try TestFolder()
        let engine = try openEngine(folder)
        defer { engine.close() }
        try fill(engine)
        try change(engine, 0)
        let before = try engine.statistics().bytesOnDisk
        let target = try TestFolder()
        var steps = 0
        try engine.copy(toDirectory: target.path) { (done, total) throws(StorageError) in
            steps += 1
            if done < total { try change(engine, steps) }
        }
        #expect(steps > 50)
        #expect(try engine.statistics().bytesOnDisk < before * 2, "\(before) bytes before, \(steps) commits")
        try expectTheSame(target, engine)
    }

    @Test("a copy while another process writes has one state; a copy and a rewrite at the same time both complete")
    func besideOthers() throws {
        let folder = try TestFolder()
        let engine = try openEngine(folder)
        defer { engine.close() }
        try fill(engine)
        let target = try TestFolder()
        var isWritten = false
        try engine.copy(toDirectory: target.path) { (done, _) throws(StorageError) in
            guard done > 0, !isWritten else { return }
            isWritten = true
            // A commit that is not logged.
            let followers = engine.store.environment.followers.withLock { $0 }
            #expect(followers.count == 1)
            engine.store.environment.followers.withLock { $0 = [] }
            try change(engine, 1)
            engine.store.environment.followers.withLock { $0 = followers }
        }
        #expect(isWritten)
        try expectTheSame(target, engine)

        let (third, fourth) = (try TestFolder(), try TestFolder())
        var rewrite: (any StorageRewrite)?
        try engine.copy(toDirectory: third.path) { (done, total) throws(StorageError) in
            if rewrite == nil {
                rewrite = try engine.beginRewrite(toDirectory: fourth.path)
                #expect(code { _ = try engine.beginRewrite(toDirectory: fourth.path) } == .callback)
            }
            if done < total { try change(engine, Int(done % 7)) }
        }
        try expectTheSame(third, engine)
        let begun = try #require(rewrite)
        while try !begun.step(limit: .zero).isComplete {}
        try begun.finish()
        try expectTheSame(fourth, engine)
        #expect(engine.store.environment.followers.withLock { $0.count } == 0)
    }

    private func openEngine(_ folder: TestFolder) throws(StorageError) -> LMDBEngine {
        let options = StorageOptions(create: true, durability: .normal)
        return try LMDBEngine(directory: folder.path, options: options, mapSize: 1 << 30, copyStep: .zero)
    }

    private func fill(_ engine: LMDBEngine) throws(StorageError) {
        let long = String(repeating: "x", count: 20_000)
        try engine.write { (tx) throws(StorageError) in
            for n in 0..<300 { try tx.add("d\(n)", #"{"x":"\#(long)\#(n)"}"#) }
        }
    }

    /// Updates about a tenth of the documents.
    private func change(_ engine: LMDBEngine, _ round: Int) throws(StorageError) {
        let long = String(repeating: "y", count: 20_000)
        try engine.write { (tx) throws(StorageError) in
            for n in 0..<30 {
                let name = "d\((round * 31 + n * 7) % 300)"
                try tx.purge(name)
                try tx.add(name, #"{"x":"\#(long)\#(round)"}"#)
            }
        }
    }

    private func expectTheSame(_ folder: TestFolder, _ engine: LMDBEngine) throws {
        let copy = try folder.openEngine()
        defer { copy.close() }
        for table in Table.allCases {
            #expect(try copy.entries(table) == engine.entries(table), "the table '\(table.name)'")
        }
        #expect(try copy.problems() == [])
    }
}
