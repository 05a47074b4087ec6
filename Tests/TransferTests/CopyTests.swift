import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import StorageProtocol
import Testing

/// Copies of open databases.
@Suite struct CopyTests {
    /// Something of every kind that a database holds.
    private func fill(_ bed: TestDatabase) throws {
        let database = bed.database
        for number in Int64(0)..<50 { try database["d\(number)"].put(["n": .int(number)]) }
        try database["d1"].update { $0["again"] = true }
        try database["d2"].delete()
        try database["d3"].purge()
        _ = try database.forceInsert(
            DocumentID("d4"),
            history: [RevisionID("1-zz")],
            json: bytes("{}"),
            isDeleted: false
        )
        try database["_local/state"].put(["at": 3])
        try database["d5"].setExpiration(Date(timeIntervalSince1970: 4_000_000_000))
        try database.info.set("blue", for: "color")
    }

    @Test(arguments: Storage.everyPlainPersistent) func aCopyHoldsEverything(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try fill(bed)
        let kept = try bed.publishBlob("kept", sha1: 1)
        let unused = try bed.publishBlob("unused", sha1: 2, count: 0)
        let url = bed.folder.url.appending(path: "copy")
        try bed.database.copy(to: url)
        let copy = try Database.open(at: url, options: .init(create: false))
        #expect(copy.storageType == type)
        #expect(try copy.documentCount == bed.database.documentCount)
        #expect(try copy.lastSequence == bed.database.lastSequence)
        let query = DocumentQuery(includeDeleted: true, includeBodies: true)
        #expect(try copy.allDocuments(query).rows().map(\.text) == bed.database.allDocuments(query).rows().map(\.text))
        #expect(try copy.revisionTree(of: DocumentID("d4"))?.leaves.count == 2)
        #expect(try copy["_local/state"]["at"] == 3)
        #expect(try copy["d5"].expiration == Date(timeIntervalSince1970: 4_000_000_000))
        #expect(try copy.info["color"] == "blue")
        let blobs = url.appending(path: "blobs-000001")
        #expect(try String(contentsOf: blobs.appending(path: "\(kept.prefix(2))/\(kept)"), encoding: .utf8) == "kept")
        #expect(!FileManager.default.fileExists(atPath: blobs.appending(path: "\(unused.prefix(2))/\(unused)").path))
        // Writes to one do not reach the other.
        try copy["only-here"].put([:])
        #expect(try !bed.database["only-here"].exists)
        try copy.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bed.folder.url.path).sorted() == [
                "copy", "test.settee",
            ]
        )
    }

    @Test(arguments: Storage.everyPlainPersistent) func aCopyIsADatabaseOfItsOwn(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let url = bed.folder.url.appending(path: "copy")
            try bed.database.copy(to: url)
            let copy = try Database.open(at: url)
            let original = try [bed.database.publicUUID, bed.database.privateUUID]
            let own = try [copy.publicUUID, copy.privateUUID]
            #expect(Set(original + own).count == 4)
            #expect(try copy.previousPrivateUUID == original[1])
            #expect(try bed.database.previousPrivateUUID == nil)
            #expect(try copy.statistics().uuid != bed.database.statistics().uuid)
            let next = bed.folder.url.appending(path: "next")
            try copy.copy(to: next)
            let second = try Database.open(at: next)
            #expect(try second.previousPrivateUUID == own[1])
            #expect(try second.originalPrivateUUIDs == [own[1], original[1]])
            #expect(try copy.originalPrivateUUIDs == [original[1]])
            #expect(try bed.database.originalPrivateUUIDs == [])
            // They are of this database, not of its content.
            #expect(try second.contentDigest() == bed.database.contentDigest())
        }
    }

    @Test(arguments: Storage.persistent) func whatIsThereStays(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let url = bed.folder.url.appending(path: "copy")
            try database.copy(to: url)
            expectError(.exists) { try database.copy(to: url) }
            expectError(.exists) { try database.copy(to: URL(filePath: try #require(database.path))) }
            expectError(.fileSystem) { try database.copy(to: bed.folder.url.appending(path: "missing/copy")) }
            expectError(.badParameter) { try database.copy(to: #require(URL(string: "https://example.org/copy"))) }
            let inside = bed.folder.url.appending(path: "inside")
            try database.inTransaction { expectError(.callback) { try database.copy(to: inside) } }
            try database.read { (_) throws in expectError(.callback) { try database.copy(to: inside) } }
            try database.close()
            expectError(.notOpen) { try database.copy(to: inside) }
            #expect(!FileManager.default.fileExists(atPath: inside.path))
        }
    }

    @Test func aDatabaseInMemoryIsNotCopied() throws {
        try withDatabase(.memory) { (bed) throws in
            expectError(.notImplemented) { try bed.database.copy(to: bed.folder.url.appending(path: "copy")) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: bed.folder.url.path) == [])
        }
    }

    /// Two documents always have the same number; a copy that mixed two states would show it.
    @Test(arguments: Storage.everyPlainPersistent) func aCopyIsOfOneMomentWhileOthersWrite(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction { for number in 0..<2000 { try database["m\(number)"].put([:]) } }
            let stop = Flag()
            let writer = Thread {
                var number: Int64 = 0
                while !stop.isSet {
                    number += 1
                    _ = try? database.inTransaction {
                        try database["a"].update { $0["n"] = .int(number) }
                        try database["z"].update { $0["n"] = .int(number) }
                    }
                }
                stop.end()
            }
            writer.start()
            try expectEventually { try database["z"].exists }
            for round in 0..<5 {
                let before = try database.lastSequence
                let url = bed.folder.url.appending(path: "copy-\(round)")
                try database.copy(to: url)
                let copy = try Database.open(at: url)
                #expect(try copy["a"]["n"] == copy["z"]["n"])
                #expect(try copy.lastSequence >= before)
                #expect(try copy.check().map(\.description) == [])
                try copy.close()
            }
            stop.set()
        }
    }

    @Test(arguments: Storage.persistent) func aKilledCopyLeavesNothingOrAll(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let path = try #require(database.path)
            try database.inTransaction { for number in 0..<3000 { try database["m\(number)"].put(["n": 1]) } }
            let target = bed.folder.url.appending(path: "copy")
            var kills = 0
            for round in 0..<12 {
                let child = try Child(["copy", path, target.path], input: [])
                Thread.sleep(forTimeInterval: 0.01 + Double(round) * 0.008)
                child.kill()
                if try child.wait().status != 0 { kills += 1 }
                if FileManager.default.fileExists(atPath: target.path) {
                    let copy = try Database.open(at: target)
                    #expect(try copy.documentCount == 3000)
                    #expect(try copy.check().map(\.description) == [])
                    try copy.close()
                    try FileManager.default.removeItem(at: target)
                }
            }
            #expect(kills > 0)
            // What killed copies left has been swept.
            let url = bed.folder.url.appending(path: "last")
            try database.copy(to: url)
            let names = try FileManager.default.contentsOfDirectory(atPath: bed.folder.url.path)
            #expect(names.sorted() == ["last", "test.settee"])
        }
    }
}

/// Tells a thread to end, and waits until it has.
private final class Flag: Sendable {
    private let raised = Locked(false)
    private let ended = DispatchSemaphore(value: 0)

    var isSet: Bool { raised.withLock { $0 } }

    /// Sets the flag and waits for the thread.
    func set() {
        raised.withLock { $0 = true }
        ended.wait()
    }

    func end() { ended.signal() }
}
