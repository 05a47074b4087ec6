internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// Copies are the same entry for entry, and packed.
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
                    let handle = try tx.add(name, #"{"x":"\#(long)\#(n)"}"#)
                    if n % 3 == 0 { try tx.change(name, handle) }
                    if n % 5 == 1 { try tx.setExpiration(Int64(n), of: handle) }
                    if n % 2 == 1 { try tx.purge(name, handle) }
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

    @Test("a copy ends where the engine is closed meanwhile")
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
}
