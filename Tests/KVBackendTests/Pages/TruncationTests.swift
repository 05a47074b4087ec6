import Foundation
import StorageProtocol
import Testing

@testable import SetteeKV

/// A truncated file is refused, or has lost nothing.
@Suite struct TruncationTests {
    @Test(.enabled(if: PageProbe.isBuilt, "needs SetteeKVBackendProbe"), arguments: [UInt64(1), 2, 3])
    func anywhere(seed: UInt64) throws {
        let file = try DamageBench.file(seed: seed)
        let bench = try DamageBench(file)
        for page in 0..<file.count / 4_096 {
            for size in [page * 4_096, page * 4_096 + 1 + Int(seed) * 700] {
                try bench.look("\(size)", Array(file[..<size]), .quick)
            }
        }
        // Nothing but free pages can go unnoticed.
        for (name, line) in try bench.readings() { #expect(line == bench.content, "cut off at \(name)") }
        #expect(bench.found.count > 50)
    }

    @Test func tailsThatWereNeverWritten() throws {
        let folder = try PageFolder()
        try folder.open()
        var history = PageHistory(seed: 5)
        defer { history.end() }
        var count = 0
        while count < 5 {
            try history.step(folder, operations: 30)
            let file = try PageFile(path: folder.path)
            guard try MetaPages(file).newest.lastPage >= file.size() / 4_096 else { continue }
            count += 1
            try QuickCheck.run(path: folder.path)
            #expect(try folder.walk() == [])
        }
        history.end()
        folder.close()
        // There may be part of a page after the last one, if a disk was full.
        try folder.replace(folder.bytes + [UInt8](repeating: 7, count: 1_234))
        try QuickCheck.run(path: folder.path)
        try folder.replace(folder.bytes + [UInt8](repeating: 7, count: 3_000_000))
        try QuickCheck.run(path: folder.path)
        #expect(try folder.walk() == [])
    }
}
