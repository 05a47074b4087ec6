import Foundation
import SmallestEngine
import StorageConformance
import StorageProtocol
import Testing

/// What the conformance suite leaves to each engine: the format of its file, and refusing a second opening.
@Suite
struct StoreFileTests {
    private func withStore(_ body: (_ directory: String, _ factory: SmallestEngineFactory) throws -> Void) throws {
        let directory = try EngineCase.makeTemporaryDirectory()
        defer { EngineCase.removeTemporaryDirectory(directory) }
        let factory = try SmallestEngineFactory()
        let engine = try factory.open(directory: directory, options: StorageOptions(create: true))
        try engine.write { (tx) throws(StorageError) in try tx.setInfo([1, 2, 3], for: "key") }
        engine.close()
        try body(directory, factory)
    }

    private func code(_ body: () throws -> Void) -> StorageError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    @Test("every changed or missing byte of the file is noticed, and ends no process")
    func refusesDamage() throws {
        try withStore { directory, factory in
            let file = URL(fileURLWithPath: directory + "/store")
            let whole = try Data(contentsOf: file)
            for place in whole.indices {
                var damaged = whole
                damaged[place] ^= 0xFF
                for bytes in [damaged, whole.prefix(place)] {
                    try bytes.write(to: file)
                    let found = code { try factory.open(directory: directory, options: StorageOptions()).close() }
                    #expect(found == .corrupt || found == .unsupportedFormat, "byte \(place)")
                }
            }
            try whole.write(to: file)
            let engine = try factory.open(directory: directory, options: StorageOptions())
            defer { engine.close() }
            #expect(try engine.read { (tx) throws(StorageError) in try tx.info("key") } == [1, 2, 3])
            var damaged = whole
            damaged[whole.count - 1] ^= 1
            try damaged.write(to: file)
            var problems: [String] = []
            try engine.verify { problems.append($0.area) }
            #expect(problems == ["file"])
        }
    }

    @Test("a file of any size is refused before memory is asked for")
    func refusesAHugeFile() throws {
        try withStore { directory, factory in
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory + "/store"))
            // Takes no room on the disk.
            try file.truncate(atOffset: 8 << 40)
            try file.close()
            #expect(code { _ = try factory.open(directory: directory, options: StorageOptions()) } == .corrupt)
        }
    }

    @Test("a folder of something else is left as it is")
    func leavesOthersAlone() throws {
        let directory = try EngineCase.makeTemporaryDirectory()
        defer { EngineCase.removeTemporaryDirectory(directory) }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: directory + "/other"))
        let factory = try SmallestEngineFactory()
        let found = code { _ = try factory.open(directory: directory, options: StorageOptions(create: true)) }
        #expect(found == .unsupportedFormat)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["other"])
    }

    @Test("a store is opened through no link")
    func followsNoLink() throws {
        try withStore { directory, factory in
            try FileManager.default.moveItem(atPath: directory + "/store", toPath: directory + "/elsewhere")
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/store",
                withDestinationPath: directory + "/elsewhere"
            )
            #expect(
                code { _ = try factory.open(directory: directory, options: StorageOptions()) } == .unsupportedFormat
            )
        }
    }

    @Test("who comes second is refused, and gets the store when it was closed")
    func letsOneIn() throws {
        try withStore { directory, factory in
            let engine = try factory.open(directory: directory, options: StorageOptions())
            #expect(code { _ = try factory.open(directory: directory, options: StorageOptions()) } == .inUse)
            engine.close()
            try factory.open(directory: directory, options: StorageOptions()).close()
        }
    }

    @Test("what a killed commit has left is no obstacle, nor is it read")
    func ignoresUnfinishedFiles() throws {
        try withStore { directory, factory in
            try Data("half".utf8).write(to: URL(fileURLWithPath: directory + "/store.new"))
            let engine = try factory.open(directory: directory, options: StorageOptions())
            defer { engine.close() }
            try engine.write { (tx) throws(StorageError) in try tx.setInfo([4], for: "key") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["store"])
        }
    }

    @Test("a commit that cannot be written leaves the last one, and the engine goes on")
    func survivesAFailedCommit() throws {
        try withStore { directory, factory in
            let engine = try factory.open(directory: directory, options: StorageOptions())
            // A folder stands where the new file is to be made.
            let obstacle = directory + "/store.new"
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
            let found = code {
                try engine.write { (tx) throws(StorageError) in try tx.setInfo([4], for: "key") }
            }
            #expect(found == .storage)
            #expect(try engine.read { (tx) throws(StorageError) in try tx.info("key") } == [1, 2, 3])
            try FileManager.default.removeItem(atPath: obstacle)
            try engine.write { (tx) throws(StorageError) in try tx.setInfo([5], for: "key") }
            engine.close()
            let again = try factory.open(directory: directory, options: StorageOptions())
            defer { again.close() }
            #expect(try again.read { (tx) throws(StorageError) in try tx.info("key") } == [5])
        }
    }
}
