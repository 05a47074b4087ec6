import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Where a database's space goes.
@Suite struct SpaceReportTests {
    @Test(arguments: Storage.all) func everyKindIsCounted(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        #expect(try database.spaceReport().bodies == 0)
        try database["a"].put(["n": 1])
        try database["a"].put(["n": 22], parent: database["a"].revision()?.id)
        try database["b"].put([:])
        try database["b"].delete()
        _ = try database.forceInsert(
            DocumentID("a"),
            history: [RevisionID("1-branch")],
            json: bytes(#"{"lost":true}"#),
            isDeleted: false
        )
        try database["_local/l"].put(["abc": "def"])
        try bed.engine().write { (transaction) throws(StorageError) in
            for (digest, count) in [(UInt8(1), UInt64(2)), (2, 0)] {
                try transaction.setBlobReference(
                    BlobReference(
                        digest: [UInt8](repeating: digest, count: 20),
                        storageName: String(repeating: "0\(digest)", count: 32),
                        length: 1000 + UInt64(digest),
                        count: count
                    )
                )
            }
            try transaction.setIndexState("v", IndexState(version: "1", collationVersion: "1"))
            try transaction.replaceIndexRows(
                "v",
                of: DocumentID("a"),
                sequence: database.sequence(of: "a", in: transaction),
                rows: [
                    IndexRow(key: [1, 2, 3], keyJSON: bytes("12"), valueJSON: bytes("3456")),
                    IndexRow(key: [4], keyJSON: bytes("5"), valueJSON: nil),
                ]
            )
        }
        let report = try database.spaceReport()
        #expect(report.bodies == UInt64(#"{"n":22}"#.utf8.count + 2))
        #expect(report.oldBodies == UInt64(#"{"n":1}"#.utf8.count + 2))
        #expect(report.conflicts == UInt64(#"{"lost":true}"#.utf8.count))
        #expect(report.localDocuments == UInt64(#"{"abc":"def"}"#.utf8.count))
        #expect(report.attachments == 1001)
        #expect(report.unusedAttachments == 1002)
        #expect(report.indexes == 3 + 2 + 4 + 1 + 1)
        #expect(report.total == (bed.isPersistent ? try database.statistics().bytesOnDisk : 0))
        if !bed.isPersistent { #expect(report.other == 0) }
    }

    /// RocksDB has no pages, and learns what is free in its files when it rewrites them.
    @Test(arguments: Storage.persistent.filter { !Storage.rocksDB.contains($0) })
    func freePagesAndTheRestMakeUpTheTotal(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let text = String(repeating: "x", count: 2000)
            try bed.database.inTransaction {
                for n in 0..<300 { try bed.database["\(n)"].put(["text": .string(text)]) }
            }
            try bed.database.inTransaction { for n in 0..<200 { try bed.database["\(n)"].purge() } }
            let report = try bed.database.spaceReport()
            #expect(report.bodies == 100 * 2011)
            #expect(report.freePages > 200 * 2000)
            #expect(report.total >= report.bodies + report.freePages)
            #expect(report.other == report.total - report.bodies - report.freePages)
            try bed.database.compact()
            #expect(try bed.database.spaceReport().freePages < report.freePages / 10)
        }
    }
}

extension Database {
    fileprivate func sequence(of id: String, in transaction: any ReadTransaction) throws(StorageError) -> UInt64 {
        var sequence: UInt64 = 0
        _ = try transaction.record(DocumentID(id), fields: .metadata) { (record) throws(StorageError) in
            sequence = record.sequence
        }
        return sequence
    }
}
