import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// What a compaction may take, and what it must leave.
@Suite struct AttachmentCollectionTests {
    private static let content = Array("content".utf8)

    @Test(arguments: Storage.every) func whatNoKeptRevisionHasIsTaken(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            let first = try document.setAttachment(named: "x", content: Self.content)
            try document.setAttachment(named: "x", content: Array("other".utf8))
            #expect(try bed.database.attachmentSpace().contents == 2)
            #expect(
                try first.attachment(named: "x")?.content() == Self.content,
                "An old body is kept until compaction."
            )
            let result = try bed.database.compact()
            #expect(result.bodiesRemoved == 1)
            #expect(result.blobsRemoved == 1)
            expectError(.attachmentNotFound) { try first.attachment(named: "x")?.content() }
            #expect(try document.read().attachment(named: "x")?.content() == Array("other".utf8))
            #expect(try bed.database.compact().blobsRemoved == 0)
            try document.purge()
            #expect(try bed.database.compact().blobsRemoved == 1)
            #expect(try bed.database.attachmentSpace() == Database.AttachmentSpace())
            #expect(try stored(bed) == 0)
        }
    }

    @Test(arguments: Storage.every) func losingLeavesKeepTheirContents(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let id = DocumentID("a")
            for (revision, text) in [("2-b", "loser"), ("2-c", "winner"), ("2-a", "last")] {
                let entry: JSONObject = ["data": .string(Data(text.utf8).base64EncodedString())]
                let body = try DocumentBody(["_attachments": .object(["x": .object(entry)])])
                #expect(try bed.database.forceInsert(id, history: [RevisionID(revision), RevisionID("1-a")], body))
            }
            #expect(try bed.database.compact().blobsRemoved == 0)
            for (revision, text) in [("2-b", "loser"), ("2-c", "winner"), ("2-a", "last")] {
                let saved = try #require(try bed.database.revision(RevisionID(revision), of: id))
                #expect(try saved.attachment(named: "x")?.content() == Array(text.utf8))
            }
            // A losing leaf becomes the winner, and the former winner's tombstone has no attachments.
            try bed.database["a"].delete()
            try bed.database.compact()
            #expect(try bed.database["a"].read().attachment(named: "x")?.content() == Array("loser".utf8))
            #expect(try stored(bed) == 2)
        }
    }

    @Test(arguments: Storage.every) func prunedRevisionsGiveTheirContentsBack(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for number in 0..<40 {
                try bed.database["a"].setAttachment(named: "x", content: Array("\(number)".utf8))
            }
            #expect(try bed.database.attachmentSpace().contents == 20)
            #expect(try bed.database.attachmentSpace().unusedContents == 20)
            #expect(try bed.database.compact().blobsRemoved == 39)
            #expect(try bed.database["a"].read().attachment(named: "x")?.content() == Array("39".utf8))
        }
    }

    @Test(arguments: Storage.every) func equalContentsAreOneAndStayWhileAnyoneHasThem(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for number in 0..<3 {
                try bed.database["d\(number)"].setAttachment(named: "x", content: Self.content)
                try bed.database["d\(number)"].setAttachment(named: "y", content: Self.content)
            }
            #expect(try stored(bed) == 1)
            for number in 0..<3 {
                try bed.database.compact()
                #expect(try stored(bed) == 1)
                let there = try bed.database["d\(number)"].read()
                #expect(try there.attachment(named: "y")?.content() == Self.content)
                try bed.database["d\(number)"].purge()
            }
            try bed.database.compact()
            #expect(try stored(bed) == 0)
        }
    }

    @Test(arguments: Storage.every) func anOpenSnapshotKeepsItsContents(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].setAttachment(named: "x", content: Self.content)
            try database.read { snapshot in
                // An engine may choose its state at the first read.
                #expect(try snapshot.documentCount == 1)
                try elsewhere {
                    try database["a"].purge()
                    #expect(try database.compact().blobsRemoved == 1)
                    expectError(.notFound) { try database["a"].read() }
                }
                let revision = try #require(try snapshot.revision(of: "a"))
                let attachment = try #require(try revision.attachment(named: "x"))
                #expect(try attachment.content() == Self.content)
                if let url = try attachment.fileURL() {
                    let inPlace = try Data(contentsOf: url)
                    #expect(Array(inPlace) == Self.content)
                }
                #expect(try database.check().isEmpty)
            }
            #expect(try database.attachmentSpace().trashed == 1)
            try database.compact()
            #expect(try stored(bed) == 0)
        }
    }

    @Test(arguments: Storage.every) func whatIsInTheTrashComesBackWhenItIsNeededAgain(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let first = try database["a"].setAttachment(named: "x", content: Self.content)
            try database.read { snapshot in
                #expect(try snapshot.documentCount == 1)
                try elsewhere {
                    try database["a"].purge()
                    try database.compact()
                    try database["b"].setAttachment(named: "x", content: Self.content)
                    try database.compact()
                }
                #expect(try first.attachment(named: "x")?.content() == Self.content)
            }
            try database.compact()
            #expect(try database["b"].read().attachment(named: "x")?.content() == Self.content)
            #expect(try stored(bed) == 1)
        }
    }

    @Test(arguments: Storage.every) func anUnfinishedWriteKeepsItsContent(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            var left = 3
            let source = AttachmentSource.pieces {
                // The database is compacted while the content is being written.
                let taken = try database.compact().blobsRemoved
                #expect(taken == 0)
                left -= 1
                return left < 0 ? nil : Self.content
            }
            let staged = try database.stageAttachment(source)
            try database.compact()
            let saved = try database["a"].setAttachment(named: "x", content: .staged(staged))
            #expect(try saved.attachment(named: "x")?.content() == Self.content + Self.content + Self.content)
        }
    }

    @Test(arguments: Storage.every) func stagedContentOutlivesRollBacksAndIsRemovedWithItsLastHolder(
        _ type: StorageType
    ) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            do {
                let staged = try database.stageAttachment(.bytes(Self.content))
                for _ in 0..<2 {
                    expectApplicationError {
                        try database.inTransaction {
                            try database["a"].setAttachment(named: "x", content: .staged(staged))
                            throw ApplicationError()
                        }
                    }
                    // What was rolled back is waste, unless its holder saves it again.
                    #expect(try database.compact().blobsRemoved == 1)
                    #expect(try stored(bed) == 0)
                }
                try database["a"].setAttachment(named: "x", content: .staged(staged))
                #expect(try database["a"].read().attachment(named: "x")?.content() == Self.content)
                _ = try database.stageAttachment(.bytes([1, 2, 3]))
            }
            expectError(.attachmentNotFound) {
                let digest = "sha1-cDeAcZjCKn0rCAc3HXY3MUHTiTE="  // of 1, 2, 3
                try database["b"].put(json: #"{"_attachments":{"x":{"follows":true,"digest":"\#(digest)"}}}"#)
            }
            #expect(try stagingFiles(bed) == 0)
        }
    }

    @Test(arguments: Storage.every) func twoContentsWithOneDigestAreToldApart(_ type: StorageType) throws {
        // Every content of one length has one digest.
        let equalDigests = DatabaseModule(attachmentDigest: { _ in [UInt8](repeating: 7, count: 20) })
        try withDatabase(type, modules: [equalDigests]) { (bed) throws in
            let database = bed.database
            try database["a"].setAttachment(named: "x", content: Self.content)
            expectError(.badAttachment) { try database["b"].setAttachment(named: "x", content: [1]) }
            expectError(.badAttachment) { try database["a"].setAttachment(named: "x", content: [1]) }
            do {
                let staged = [try database.stageAttachment(.bytes([1])), try database.stageAttachment(.bytes([2]))]
                expectError(.badAttachment) {
                    let entry: JSONObject = ["follows": true, "digest": .string(staged[0].digest)]
                    try database["c"].put(["_attachments": .object(["x": .object(entry)])])
                }
            }
            #expect(try database["a"].read().attachment(named: "x")?.content() == Self.content)
            // The same content again is no other one.
            try database["b"].setAttachment(named: "x", content: Self.content)
            try database["a"].purge()
            try database.compact()
            #expect(try database["b"].read().attachment(named: "x")?.content() == Self.content)
            #expect(try stored(bed) == 1)
            try database["b"].purge()
            #expect(try database.compact().blobsRemoved == 1)
            // Two new ones in one revision.
            expectError(.badAttachment) {
                try database["d"].put(json: #"{"_attachments":{"x":{"data":"AQ=="},"y":{"data":"Ag=="}}}"#)
            }
            try database["d"].put(json: #"{"_attachments":{"x":{"data":"AQ=="},"y":{"data":"AQ=="}}}"#)
            #expect(try database["d"].read().attachment(named: "y")?.content() == [1])
            #expect(try database.check().isEmpty)
            try database["d"].purge()
            try database.compact()
        }
    }

    @Test(arguments: Storage.every) func manyContentsAreTakenInManyTransactions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction {
                for number in 0..<625 {
                    let entry: JSONObject = ["data": .string(Data("\(number)".utf8).base64EncodedString())]
                    try database["d\(number)"].put(["_attachments": .object(["x": .object(entry)])])
                }
            }
            // Half of them have no reference at all, as after a kill before the commit.
            expectApplicationError {
                try database.inTransaction {
                    for number in 0..<550 {
                        let entry: JSONObject = ["data": .string(Data("-\(number)".utf8).base64EncodedString())]
                        try database["e\(number)"].put(["_attachments": .object(["x": .object(entry)])])
                    }
                    throw ApplicationError()
                }
            }
            try database.inTransaction { for number in 0..<620 { try database["d\(number)"].purge() } }
            #expect(try stored(bed) == 1175)
            let before = try changeCounter(bed)
            #expect(try database.compact().blobsRemoved == 1170)
            #expect(try changeCounter(bed) >= before + 2, "No transaction takes more than 500.")
            #expect(try stored(bed) == 5)
            for number in 620..<625 {
                #expect(try database["d\(number)"].read().attachment(named: "x")?.content() == Array("\(number)".utf8))
            }
        }
    }

    @Test(arguments: Storage.every) func checkFindsLostAndDamagedContents(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        try database["a"].setAttachment(named: "x", content: Self.content)
        try database["b"].setAttachment(named: "x", content: [1, 2, 3])
        #expect(try database.check().isEmpty)
        let store = try database.blobStore()
        let names = try blobNames(bed)
        #expect(try store.moveToTrash(names[0], epoch: 0))
        _ = try store.emptyTrash(before: 1)
        let problems = try database.check()
        #expect(problems.map(\.area) == ["blob"])
        #expect(problems.first?.message.contains("is missing") == true)

        // The count in the store is compared with the bodies.
        try bed.engine().write { (transaction) throws(StorageError) in
            var references: [BlobReference] = []
            try transaction.blobReferences { (reference) throws(StorageError) in
                references.append(reference)
                return true
            }
            for reference in references where reference.storageName != names[0] {
                var wrong = reference
                wrong.count = 5
                try transaction.setBlobReference(wrong)
            }
        }
        #expect(Set(try database.check().map(\.area)) == ["blob", "reference"])

        if let path = database.path {
            let file = path + "/blobs-000001/\(names[1].prefix(2))/\(names[1])"
            var damaged = try Data(contentsOf: URL(fileURLWithPath: file))
            damaged[0] ^= 1
            try FileManager.default.removeItem(atPath: file)
            try damaged.write(to: URL(fileURLWithPath: file))
            #expect(try database.check().count { $0.message.contains("damaged") } == 1)
        }
        try bed.manager.close()
    }

    // MARK: - What is on disk

    private func blobNames(_ bed: TestDatabase) throws -> [String] {
        var names: [String] = []
        try bed.database.blobStore().names { (name) throws(StorageError) in
            names.append(name)
            return true
        }
        return names.sorted()
    }

    /// How many contents are stored, the trash included.
    private func stored(_ bed: TestDatabase) throws -> Int {
        try blobNames(bed).count + bed.database.blobStore().trash().count
    }

    private func changeCounter(_ bed: TestDatabase) throws -> UInt64 {
        try bed.engine().read { (transaction) throws(StorageError) in try transaction.counters().changeCounter }
    }

    private func stagingFiles(_ bed: TestDatabase) throws -> Int {
        guard let path = bed.database.path else { return 0 }
        return try FileManager.default.contentsOfDirectory(atPath: path + "/blobs-000001")
            .count { $0.hasPrefix(".settee-staging") }
    }
}

/// Runs `body` to its end on another thread, whose calls do not join this one's snapshot.
private func elsewhere(_ body: @escaping @Sendable () throws -> Void) throws { try Background(body).join() }
