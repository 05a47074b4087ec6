import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Folders that other programs remove, move or replace while their database is open.
@Suite struct LostFolderTests {
    private let folder: TemporaryFolder
    private var url: URL { folder.url.appending(path: "db") }
    private var moved: URL { folder.url.appending(path: "moved") }

    init() throws { folder = try TemporaryFolder() }

    enum Loss: CaseIterable {
        case removed, removedAndMadeAgain, moved, replaced
    }

    private static let types: [StorageType] = [.sqlite, .sqlcipher, .lmdb]

    private func options(_ type: StorageType) throws -> DatabaseOptions {
        let key = type == .sqlcipher ? try EncryptedFixture.key() : nil
        return DatabaseOptions(storageType: type, key: key, compactionThreshold: nil)
    }

    /// Opens a database at `url`, and does to its folder what `loss` says.
    private func lose(_ loss: Loss, _ type: StorageType, hasContents: Bool = true) throws -> Database {
        let other = folder.url.appending(path: "other")
        if loss == .replaced {
            let database = try Database.open(at: other, options: options(type))
            try database["of the other"].put(["n": 1])
            try database["of the other"].setAttachment(named: "x", content: Array("the other's".utf8))
            try database.close()
        }
        let database = try Database.open(at: url, options: options(type))
        try database["before"].put(["n": 1])
        if hasContents { try database["before"].setAttachment(named: "x", content: Array("of before".utf8)) }
        let manager = FileManager.default
        switch loss {
        case .removed, .removedAndMadeAgain: try manager.removeItem(at: url)
        case .moved, .replaced: try manager.moveItem(at: url, to: moved)
        }
        if loss == .removedAndMadeAgain {
            try manager.createDirectory(at: url, withIntermediateDirectories: false)
        }
        if loss == .replaced { try manager.moveItem(at: other, to: url) }
        return database
    }

    @Test("a write is refused, and what is at the path is opened", arguments: types, Loss.allCases)
    func writing(_ type: StorageType, _ loss: Loss) throws {
        let database = try lose(loss, type)
        for _ in 0..<2 {
            do throws(StorageError) {
                _ = try database["after"].put(["n": 2])
                Issue.record("It was written.")
            } catch {
                #expect(error.code == .notOpen)
                let isThere = loss == .removedAndMadeAgain || loss == .replaced
                #expect(error.message.contains(isThere ? "was replaced" : "was removed or moved"), "\(error.message)")
            }
            expectError(.notOpen) { try database["before"].setAttachment(named: "y", content: Array("new".utf8)) }
            expectError(.notOpen) { try database.inTransaction { try database["b"].put(["n": 3]) } }
        }
        if loss == .removedAndMadeAgain { try FileManager.default.removeItem(at: url) }

        let next = try Database.open(at: url, options: options(type))
        #expect(next !== database)
        try next["new"].put(["n": 3])
        #expect(try !next["before"].exists)
        #expect(try next["of the other"].exists == (loss == .replaced))
        try database.close()
        #expect(try next["new"].exists)
        try next.close()
        let again = try Database.open(at: url, options: options(type))
        #expect(try again["new"].exists)
        #expect(try again.check().isEmpty)
        try again.close()
        guard loss == .moved || loss == .replaced else { return }
        let old = try Database.open(at: moved, options: options(type))
        #expect(try old["before"].exists && !old["after"].exists && !old["b"].exists)
        try old.close()
    }

    @Test("a moved folder is opened at its new path", arguments: types)
    func moving(_ type: StorageType) throws {
        let database = try lose(.moved, type)
        let next = try Database.open(at: moved, options: options(type))
        try next["after"].put(["n": 2])
        #expect(try next["before"].exists)
        #expect(!database.isOpen)
        try next.close()
    }

    @Test("a write goes on where the path leads to the folder through a link", arguments: types)
    func linking(_ type: StorageType) throws {
        let database = try lose(.moved, type)
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: moved)
        try database["after"].put(["n": 2])
        try database.close()
    }

    @Test("compaction, conversion, reading and closing leave the new folder as it is", arguments: types, [true, false])
    func upkeep(_ type: StorageType, hasContents: Bool) throws {
        let database = try lose(.replaced, type, hasContents: hasContents)
        let before = try listing(of: url)
        expectError(.notOpen, "compaction") { try database.compact() }
        expectError(.notOpen, "conversion") {
            try database.convert(to: type == .lmdb ? .sqlite : .lmdb, decrypt: type == .sqlcipher)
        }
        if hasContents {
            expectError(.notOpen, "contents") { try database["before"].read().attachment(named: "x")?.content() }
        }
        // More readers than have read before.
        try onThreads(4) { _ in
            try? database.read { _ in
                let isOther = try database["of the other"].exists
                #expect(!isOther)
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
        try database.close()
        #expect(try listing(of: url) == before)
        let next = try Database.open(at: url, options: options(type))
        let content = try next["of the other"].read().attachment(named: "x")?.content()
        #expect(content == Array("the other's".utf8))
        #expect(try next.check().isEmpty)
        try next.close()
    }
}
