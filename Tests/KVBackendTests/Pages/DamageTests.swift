import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Damaged pages are found; damage that is not found does not crash the process that reads it.
@Suite(.enabled(if: PageProbe.isBuilt, "needs SetteeKVBackendProbe")) struct DamageTests {
    /// Any byte of any page.
    @Test(arguments: [UInt64(1), 2])
    func singleBytes(seed: UInt64) throws {
        let file = try DamageBench.file(seed: seed)
        let bench = try DamageBench(file)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var bytes = file
            let place = random.below(file.count)
            bytes[place] ^= UInt8(1 + random.below(255))
            try bench.look("byte \(place)", bytes, .whole)
        }
        for (name, line) in try bench.readings() { #expect(line != nil, "seed \(seed), \(name)") }
    }

    /// The bytes that LMDB follows, in pages that are in use: every change of one is found.
    @Test(arguments: [UInt64(1), 2])
    func structure(seed: UInt64) throws {
        let file = try DamageBench.file(seed: seed)
        let bench = try DamageBench(file)
        let places = try structure(of: file)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            var bytes = file
            let place = places[random.below(places.count)]
            bytes[place] ^= UInt8(1 + random.below(255))
            try bench.look("byte \(place % 4_096) of page \(place / 4_096)", bytes, .whole)
        }
        #expect(try bench.readings().map(\.name) == [], "seed \(seed)")
    }

    /// The positions of numbers, flags, bounds, offsets and the headers of entries; except the length of a value in
    /// overflow pages, which may be any that these have room for.
    private func structure(of file: [UInt8]) throws -> [Int] {
        let folder = try PageFolder()
        try folder.replace(file)
        let reader = try PageFile(path: folder.path)
        let meta = try MetaPages(reader).newest
        var walk = try PageWalk(reader, meta)
        try walk.walkAll()
        var places: [Int] = []
        func visit(_ number: UInt64) throws {
            let page = try NodePage(reader, number, pageSize: 4_096)
            let start = Int(number) * 4_096
            places += (0..<8).map { start + $0 } + (10..<16 + 2 * page.count).map { start + $0 }
            for index in 0..<page.count {
                let node = start + Int(file.u16(start + 16 + 2 * index))
                let isLarge = page.isLeaf && page.flags(index) == NodeFlags.overflow
                places += (isLarge ? 4..<8 : 0..<8).map { node + $0 }
                if isLarge {
                    let value = Int(Array(page.value(index)).u64(0)) * 4_096
                    places += (0..<8).map { value + $0 } + (10..<16).map { value + $0 }
                }
                if !page.isLeaf { try visit(page.child(index)) }
            }
        }
        for record in [meta.freeList, meta.main] + walk.tables.map(\.record) where !record.isEmpty {
            try visit(record.root)
        }
        return places
    }

    /// Whole pages: zeros, garbage, another page, an earlier state of the page.
    @Test(arguments: [UInt64(1), 2, 3])
    func wholePages(seed: UInt64) throws {
        let file = try DamageBench.file(seed: seed)
        let earlier = try DamageBench.file(seed: seed, steps: 14)
        let bench = try DamageBench(file)
        var random = SeededGenerator(seed: seed)
        for step in 0..<200 {
            var bytes = file
            let page = (2 + random.below(file.count / 4_096 - 2)) * 4_096
            let other = random.below(file.count / 4_096) * 4_096
            switch step % 5 {
            case 0: bytes.replaceSubrange(page..<page + 4_096, with: repeatElement(0, count: 4_096))
            case 1: bytes.replaceSubrange(page..<page + 4_096, with: random.bytes(4_096))
            case 2: bytes.replaceSubrange(page..<page + 4_096, with: file[other..<other + 4_096])
            case 3 where page + 4_096 <= earlier.count:
                bytes.replaceSubrange(page..<page + 4_096, with: earlier[page..<page + 4_096])
            // With its own number, the worst case.
            default: bytes.replaceSubrange(page + 8..<page + 4_096, with: file[other + 8..<other + 4_096])
            }
            try bench.look("page \(page / 4_096) step \(step)", bytes, .whole)
        }
        for (name, line) in try bench.readings() { #expect(line != nil, "seed \(seed), \(name)") }
        #expect(bench.found.count > 10)
    }

    /// Numbers that overflow what they are added to.
    @Test(arguments: [UInt64(1), 2])
    func hugeNumbers(seed: UInt64) throws {
        let file = try DamageBench.file(seed: seed, steps: 6, operations: 20)
        let bench = try DamageBench(file)
        var random = SeededGenerator(seed: seed)
        let numbers: [UInt64] = [
            0, 1, 2, .max, .max - 1, 1 << 63, 1 << 62, 1 << 47, 1 << 48 - 1, 0xFFFF_FFFF, 0x7FFF_FFFF,
        ]
        for step in 0..<300 {
            var bytes = file
            for _ in 0...random.below(3) {
                let page = random.chance(40, in: 100) ? random.below(2) : random.below(file.count / 4_096)
                let limit = page < 2 ? MetaPage.length - 8 : 200
                let place = page * 4_096 + random.below(limit)
                let number = numbers[random.below(numbers.count)]
                for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte)) }
            }
            try bench.look("huge \(step)", bytes, .whole)
        }
        for (name, line) in try bench.readings() { #expect(line != nil, "seed \(seed), \(name)") }
        #expect(bench.found.count > 100)
    }
}
