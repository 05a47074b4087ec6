import Foundation
import StorageProtocol
import Testing

@testable import SetteeKV

/// In a damaged tree, keys may be out of order, or pages lead back to where the walk has been. No walk returns rows
/// twice or goes on for ever.
@Suite struct KeyOrderTests {
    private static func key(_ number: Int) -> String { "k\(100_000 + number)" }

    /// A store with many entries in `info`, whose file is closed.
    private func store() throws -> TestFolder {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        try engine.store.write { (now) throws(StorageError) in
            for number in 0..<2_000 {
                try now.put(Self.key(number), [UInt8](repeating: 7, count: 20), in: .info)
            }
        }
        engine.close()
        return folder
    }

    private func expectCorrupt(_ folder: TestFolder, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let engine = try folder.openEngine()
        defer { engine.close() }
        let reader = try engine.beginRead()
        #expect(code { _ = try reader.allInfo() } == .corrupt, sourceLocation: sourceLocation)
        reader.end()
        #expect(try engine.problems().isEmpty == false, sourceLocation: sourceLocation)
    }

    @Test func keysOutOfOrder() throws {
        let folder = try store()
        var data = try Data(contentsOf: URL(fileURLWithPath: folder.dataFile))
        let place = try #require(data.firstRange(of: Data(Self.key(1_000).utf8)))
        data.replaceSubrange(place, with: Data(Self.key(10).utf8))
        try folder.write([UInt8](data), to: "data.mdb")
        try expectCorrupt(folder)
    }

    @Test func aPageThatLeadsBack() throws {
        let folder = try store()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.dataFile)))
        // The branch page above the keys: its last child becomes its first.
        let page = try #require(
            stride(from: 8_192, to: bytes.count, by: 4_096).first { page in
                guard bytes.u16(page + 10) == 1, bytes.u16(page + 12) > 40 else { return false }
                let node = page + Int(bytes.u16(page + 18))
                return bytes[node + 8] == UInt8(ascii: "k")
            }
        )
        let count = (Int(bytes.u16(page + 12)) - 16) / 2
        let first = page + Int(bytes.u16(page + 16))
        let last = page + Int(bytes.u16(page + 16 + 2 * (count - 1)))
        for offset in 0..<6 { bytes[last + offset] = bytes[first + offset] }
        try folder.write(bytes, to: "data.mdb")
        try expectCorrupt(folder)
    }

    @Test func directions() throws {
        var up = KeyOrder()
        var down = KeyOrder(descending: true)
        func pass(_ order: inout KeyOrder, _ key: [UInt8]) -> StorageError.Code? {
            code { try key.withRawBytes { (key) throws(StorageError) in try order.pass(key) } }
        }
        for key in [[], [1], [1, 0], [2]] as [[UInt8]] { #expect(pass(&up, key) == nil) }
        for key in [[2], [1, 255], []] as [[UInt8]] { #expect(pass(&up, key) == .corrupt) }
        for key in [[2], [1, 0], [1], []] as [[UInt8]] { #expect(pass(&down, key) == nil) }
        #expect(pass(&down, [0]) == .corrupt)
    }
}
