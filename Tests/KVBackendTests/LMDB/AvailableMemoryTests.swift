internal import Foundation
internal import Testing

@testable internal import SetteeKV

/// Which limits of memory are found.
@Suite struct AvailableMemoryTests {
    private let folder: TestFolder
    private static let megabyte: UInt64 = 1 << 20

    init() throws { folder = try TestFolder() }

    private func limit(_ path: String, _ text: String) throws {
        let file = folder.path + "/root/" + path
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    private func bytes(_ groups: String) throws -> UInt64? {
        try folder.write(Array(groups.utf8), to: "groups")
        return AvailableMemory.bytes(groups: folder.path + "/groups", root: folder.path + "/root")
    }

    @Test("without a group it is the machine's")
    func machine() throws {
        let all = try #require(try bytes(""))
        #expect(all > 64 * Self.megabyte)
        #expect(all == ProcessInfo.processInfo.physicalMemory)
        for damaged in ["0::", "::", "0:/x", "\0\0:\n\n:::::", String(repeating: "9", count: 10_000)] {
            #expect(try bytes(damaged) == all)
        }
        try limit("a/memory.max", "max\n")
        #expect(try bytes("0::/a\n") == all)
        try limit("a/memory.max", "a lot")
        #expect(try bytes("0::/a\n") == all)
    }

    @Test("the lowest limit of a group and those it is in, in both versions of control groups")
    func groups() throws {
        try limit("a/memory.max", "\(100 * Self.megabyte)\n")
        try limit("a/b/memory.max", "max\n")
        #expect(try bytes("0::/a/b\n") == 100 * Self.megabyte)
        try limit("a/b/memory.max", "\(90 * Self.megabyte)\n")
        #expect(try bytes("0::/a/b\n") == 90 * Self.megabyte)
        #expect(try bytes("0::/a\n") == 100 * Self.megabyte)
        try limit("memory/c/memory.limit_in_bytes", "\(70 * Self.megabyte)\n")
        #expect(try bytes("7:cpu:/c\n4:memory,hugetlb:/c\n0::/a\n") == 70 * Self.megabyte)
        // A container may see the mount of its own group only.
        try limit("memory.max", "\(50 * Self.megabyte)\n")
        #expect(try bytes("0::/outside/of/it\n") == 50 * Self.megabyte)
    }

    @Test("a small file is never too large, and one larger than the machine's memory is")
    func files() {
        #expect(!AvailableMemory.isExceeded(byFileOf: 0))
        #expect(!AvailableMemory.isExceeded(byFileOf: 32 * Self.megabyte))
        #expect(AvailableMemory.isExceeded(byFileOf: ProcessInfo.processInfo.physicalMemory + 1))
    }
}
