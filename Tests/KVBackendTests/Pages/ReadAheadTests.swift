internal import Foundation
internal import Testing

@testable internal import SetteeKV

/// Files larger than the memory: the system reads single pages, and cursors tell it what comes next.
@Suite struct ReadAheadTests {
    @Test("neighbouring leaves are read ahead, each page once")
    func neighbours() {
        var ahead = ReadAhead()
        var told: [Range<UInt64>] = []
        for leaf in stride(from: UInt64(10), to: 5_000, by: 3) {
            guard let pages = ahead.pages(after: leaf) else { continue }
            #expect(pages.lowerBound > leaf)
            if let last = told.last { #expect(pages.lowerBound >= last.upperBound) }
            told.append(pages)
        }
        // One call for many pages, and all of them but the first few.
        #expect((15...25).contains(told.count))
        #expect(told.map { $0.count }.reduce(0, +) > 4_900)
    }

    @Test("leaves in no order, and the first few, ask for nothing")
    func spread() {
        var ahead = ReadAhead()
        for number in 0..<10_000 as Range<UInt64> { #expect(ahead.pages(after: number * 7_919 % 10_007 * 65) == nil) }
        for leaf in [100, 101, 102, 9_000, 9_001, 9_002, 50, 51, 52] as [UInt64] {
            #expect(ahead.pages(after: leaf) == nil)
        }
        #expect(ahead.pages(after: 53) != nil)
    }

    #if os(Linux)
    /// The flags of the mapping that holds an address, as the kernel tells them.
    private func flags(of address: UnsafeRawPointer) throws -> [Substring] {
        let address = UInt(bitPattern: address)
        var isInside = false
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        for line in String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("VmFlags:") {
                if isInside { return line.split(separator: " ") }
            } else if let head = line.split(separator: " ").first, !head.hasSuffix(":") {
                let ends = head.split(separator: "-").compactMap { UInt($0, radix: 16) }
                isInside = ends.count == 2 && ends[0] <= address && address < ends[1]
            }
        }
        return []
    }

    @Test("the map of a file larger than the memory is for single pages")
    func advice() throws {
        let folder = try TestFolder()
        try folder.write([UInt8](repeating: 1, count: 64 * 4096), to: "pages")
        let descriptor = try #require(FileHandle(forReadingAtPath: folder.path + "/pages"))
        for isLarge in [false, true] {
            let map = try PageMap(descriptor: descriptor.fileDescriptor, pageSize: 4096, pages: 64) { size in
                #expect(size == 64 * 4096)
                return isLarge
            }
            #expect(map.readsAhead == !isLarge)
            let flags = unsafe try flags(of: map.base)
            #expect(flags.contains("rr") == isLarge, "\(flags)")
            // Beyond the file and beyond the map there is nothing to read.
            for pages in [0..<64, 60..<1_000_000, 1_000_000..<2_000_000, 5..<5] as [Range<UInt64>] {
                map.willRead(pages)
            }
            #expect(unsafe map.base.load(fromByteOffset: 63 * 4096, as: UInt8.self) == 1)
        }
    }
    #endif
}
