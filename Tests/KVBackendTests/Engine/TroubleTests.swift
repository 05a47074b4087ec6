internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// What an engine does when it runs out of room, when entries are damaged, and when a transaction is released wrongly.
@Suite
struct TroubleTests {
    @Test("a store that has outgrown its reserved room can be written after reopening, copied, and rewritten")
    func outgrown() throws {
        let folder = try TestFolder()
        let factory = LMDBEngineFactory(mapSize: 4 << 20)
        let body = "{\"t\":\"" + String(repeating: "t", count: 10_000) + "\"}"
        var engine = try #require(
            try factory.open(directory: folder.path, options: StorageOptions(create: true, durability: .normal))
                as? LMDBEngine
        )
        var count = 0
        var refusals = 0
        while count < 1_200 {
            do throws(StorageError) {
                try engine.write { (tx) throws(StorageError) in
                    for number in count..<count + 100 { try tx.add("d\(number)", body) }
                }
                count += 100
            } catch {
                #expect(error.code == .full)
                refusals += 1
                try #require(refusals < 20)
            }
        }
        #expect(refusals > 0)
        for name in ["copy", "rewrite"] {
            let target = folder.path + "-" + name
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: target) }
            if name == "copy" {
                try engine.copy(toDirectory: target) { (_, _) throws(StorageError) in }
            } else {
                let rewrite = try engine.beginRewrite(toDirectory: target)
                while try !rewrite.step(limit: .milliseconds(50)).isComplete {}
                _ = try rewrite.finish()
            }
            let copy = try factory.open(directory: target, options: StorageOptions())
            #expect(try copy.read { (tx) throws(StorageError) in try tx.json("d1199") } == body)
            copy.close()
        }
        engine.close()
        engine = try #require(try factory.open(directory: folder.path, options: StorageOptions()) as? LMDBEngine)
        try engine.write { (tx) throws(StorageError) in try tx.add("more", body) }
        engine.close()
    }

    @Test("a damaged record makes the next open check all pages, once")
    func mark() throws {
        let folder = try TestFolder()
        var engine = try folder.openEngine()
        try engine.write { (tx) throws(StorageError) in try tx.add("a") }
        try engine.tamper(.documents, Array("a".utf8), [0xFF])
        let mark = folder.path + "/" + SuspectMark.name
        #expect(!FileManager.default.fileExists(atPath: mark))
        #expect(throws: StorageError.self) {
            _ = try engine.read { (tx) throws(StorageError) in try tx.json("a") }
        }
        #expect(FileManager.default.fileExists(atPath: mark))
        engine.close()
        engine = try folder.openEngine()
        #expect(!FileManager.default.fileExists(atPath: mark))
        engine.close()
    }

    @Test("a write transaction that another thread releases causes an error, not an endless wait")
    func strandedWriter() async throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        final class Box: @unchecked Sendable {
            var transaction: (any WriteTransaction)?
        }
        let box = Box()
        let begun = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            box.transaction = try? engine.beginWrite()
            begun.signal()
            // The thread stays alive: LMDB's lock belongs to it.
            release.wait()
            ended.signal()
        }
        begun.wait()
        #expect(box.transaction != nil)
        box.transaction = nil
        #expect(throws: StorageError.self) { try engine.write { (tx) throws(StorageError) in try tx.add("a") } }
        release.signal()
        ended.wait()
        engine.close()
    }

    @Test("bytes that are not JSON are refused, and nothing is written")
    func noJSON() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            try tx.add("a")
            for body in ["\u{1}", "\u{0}{}"] {
                var refusals = 0
                do throws(StorageError) { try tx.add("b", body) } catch {
                    refusals += error.code == .badParameter ? 1 : 0
                }
                do throws(StorageError) {
                    try tx.update(
                        RecordDraft(
                            documentID: DocumentID("a"),
                            flags: [],
                            sequence: 2,
                            winner: try RevisionID("2-\(String(repeating: "a", count: 32))"),
                            tree: [],
                            body: .replaceKeepingOld(Array(body.utf8), oldSequence: 1)
                        )
                    )
                } catch {
                    refusals += error.code == .badParameter ? 1 : 0
                }
                #expect(refusals == 2)
            }
        }
        #expect(try engine.entries(.bodies) == [])
        #expect(try engine.entries(.documents).count == 1)
        #expect(try engine.problems() == [])
    }
}
