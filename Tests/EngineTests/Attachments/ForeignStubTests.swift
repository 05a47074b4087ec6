import Crypto
import Foundation
import Settee
import SetteeEngine
import SetteeTestSupport
import StorageProtocol
import Testing

/// Stubs of other servers, which name contents by MD5.
@Suite struct ForeignStubTests {
    /// What waits while a content is read.
    private final class Reading: Sendable {
        let begins = Gate()
        let goesOn = Gate()
        let isWatched = Locked(false)
        let count = Locked(0)
    }

    @Test(arguments: [false, true]) func writersDoNotWaitUntilAContentIsRead(asBatch: Bool) throws {
        let reading = Reading()
        let factory = GatedBlobs(Storage.factory(.memory)) { _ in
            guard reading.isWatched.withLock({ $0 }) else { return }
            reading.count.withLock { $0 += 1 }
            reading.begins.open()
            reading.goesOn.wait()
        }
        let bed = try TestDatabase(.memory, wrapping: factory)
        let database = bed.database
        let first = try database["a"].put(json: #"{"_attachments":{"x":{"data":"b25l"}}}"#)
        let md5 = Data(Insecure.MD5.hash(data: Data("one".utf8))).base64EncodedString()
        let json = #"{"_attachments":{"y":{"stub":true,"digest":"md5-\#(md5)","revpos":2,"length":3}}}"#
        let history = [try RevisionID("2-b"), first.id]
        reading.isWatched.withLock { $0 = true }
        let inserting = Background {
            if asBatch {
                let revision = try ForeignRevision("a", json: Array(json.utf8), history: history)
                _ = try database.forceInsert([revision])
            } else {
                try database["a"].forceInsert(json: json, history: history)
            }
        }
        reading.begins.wait()
        let writing = Background { try database["b"].put([:]) }
        #expect(writing.ends(within: 60), "The writer waits until the content is read.")
        reading.goesOn.open()
        try inserting.join()
        try writing.join()
        reading.isWatched.withLock { $0 = false }
        #expect(reading.count.withLock { $0 } == 1)
        let revision = try #require(try database["a"].revision(history[0]))
        #expect(try revision.attachment(named: "y")?.content() == Array("one".utf8))
        #expect(try database.check().map(\.description) == [])
        try bed.manager.close()
    }
}
