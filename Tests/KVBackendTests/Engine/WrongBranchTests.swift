import Foundation
import StorageProtocol
import Testing

@testable import SetteeKV

/// Searches in a tree whose branch page has a wrong key, so that they end on the wrong side of what is sought.
@Suite struct WrongBranchTests {
    /// A store of 2,000 documents, in whose sequences the key of each child but the first is 20 lower.
    private func damagedStore() throws -> TestFolder {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<2_000 { try transaction.add("\(number)") }
        }
        engine.close()
        var file = Array(try Data(contentsOf: URL(fileURLWithPath: folder.dataFile)))
        let reader = try PageFile(path: folder.dataFile)
        var walk = try PageWalk(reader, MetaPages(reader).newest)
        try walk.walkAll()
        let table = try #require(walk.tables.first { $0.name == "sequences" })
        let root = Int(table.record.root) * 4_096
        try #require(table.record.depth == 2)
        let children = (Int(file.u16(root + 12)) - 16) / 2
        for child in 1..<children {
            let key = root + Int(file.u16(root + 16 + 2 * child)) + 8
            var number = UInt64(0)
            for place in key..<key + 8 { number = number << 8 | UInt64(file[place]) }
            number -= 20
            for place in 0..<8 { file[key + place] = UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * place)) }
        }
        try folder.write(file, to: "data.mdb")
        return folder
    }

    /// Each range ends right, or with damage: no sequence outside of it comes out.
    @Test func listingsStayInTheirRange() throws {
        let folder = try damagedStore()
        let engine = try folder.openEngine()
        defer { engine.close() }
        var refused = 0
        try engine.read { (transaction) throws(StorageError) in
            for bound in stride(from: UInt64(1), through: 2_000, by: 1) {
                for (range, descending) in [(0...bound, true), (bound...UInt64.max, false)] {
                    do throws(StorageError) {
                        try transaction.records(sequences: range, descending: descending, fields: .metadata) { view in
                            #expect(range.contains(view.sequence))
                            return false
                        }
                    } catch {
                        #expect(error.code == .corrupt)
                        refused += 1
                    }
                }
            }
        }
        #expect(refused > 0)
    }
}
