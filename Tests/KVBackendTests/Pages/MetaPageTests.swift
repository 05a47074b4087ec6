import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// The two pages that LMDB starts from.
@Suite(.enabled(if: PageProbe.isBuilt, "needs SetteeKVBackendProbe")) struct MetaPageTests {
    /// Each byte of both, changed in several ways: what the check does not find does no harm in LMDB.
    @Test(arguments: [UInt64(1), 2])
    func everyByte(seed: UInt64) throws {
        let file = try DamageBench.file(seed: seed, steps: 6 + Int(seed), operations: 15)
        let bench = try DamageBench(file)
        var random = SeededGenerator(seed: seed)
        for index in 0..<2 {
            for place in 0..<MetaPage.length {
                for mask in [0xFF, 1 << UInt8(random.below(8)), 1, 2] as [UInt8] {
                    var bytes = file
                    bytes[index * 4_096 + place] ^= mask
                    try bench.look("meta \(index) byte \(place) mask \(mask)", bytes, .quick)
                }
            }
        }
        for (name, line) in try bench.readings() { #expect(line == bench.content, "\(name)") }
        #expect(bench.found.count > 400)
    }
}
