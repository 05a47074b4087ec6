import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Files that are not our data files.
@Suite struct OtherFileTests {
    private func code(_ bytes: [UInt8]) throws -> StorageError.Code? {
        let folder = try PageFolder()
        try folder.replace(bytes)
        do throws(StorageError) {
            try QuickCheck.run(path: folder.path)
            return nil
        } catch {
            #expect(error.message.count > 20)
            return error.code
        }
    }

    @Test func garbage() throws {
        var random = SeededGenerator(seed: 1)
        for size in [0, 1, 15, 16, 151, 152, 512, 4_095, 4_096, 8_191, 8_192, 8_193, 100_000] {
            #expect(try code([UInt8](repeating: 0, count: size)) == .corrupt)
            #expect(try code([UInt8](repeating: 0xFF, count: size)) == .corrupt)
            for _ in 0..<20 { #expect(try code(random.bytes(size)) == .corrupt) }
        }
        #expect(try code(Array("SQLite format 3\0".utf8) + random.bytes(8_192)) == .corrupt)
    }

    /// Sound meta pages before garbage.
    @Test func garbageBehindMetaPages() throws {
        let file = try DamageBench.file(seed: 1)
        var random = SeededGenerator(seed: 2)
        #expect(try code(Array(file[..<8_192]) + random.bytes(file.count - 8_192)) == .corrupt)
        #expect(try code(Array(file[..<8_192]) + [UInt8](repeating: 0, count: file.count - 8_192)) == .corrupt)
    }

    @Test func otherKindsOfLMDB() throws {
        let file = try DamageBench.file(seed: 1)
        var bytes = file
        // Big-endian: all numbers in reverse byte order.
        bytes.replaceSubrange(16..<20, with: [0xBE, 0xEF, 0xC0, 0xDE])
        #expect(try code(bytes) == .unsupportedFormat)
        // 32 bits: the page header has 12 bytes.
        bytes = Array(file[..<8]) + file[12...]
        #expect(try code(bytes) == .unsupportedFormat)
        bytes = file
        bytes[20] = 2
        bytes[4_096 + 20] = 2
        #expect(try code(bytes) == .unsupportedFormat)
        #expect(try code(file) == nil)
    }

    @Test func noFile() throws {
        let folder = try PageFolder()
        #expect(throws: StorageError.self) { try QuickCheck.run(path: folder.path) }
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        #expect(throws: StorageError.self) { try QuickCheck.run(path: folder.path) }
        try FileManager.default.removeItem(atPath: folder.path)
        // A pipe that nobody writes to must not be waited for.
        #expect(mkfifo(folder.path, 0o600) == 0)
        #expect(throws: StorageError.self) { try QuickCheck.run(path: folder.path) }
    }
}
