import Settee
import SetteeEngine
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeIndexes
@testable import SetteeViews

/// Several kinds of indexes share a database, an update and a keeper.
@Suite struct IndexKindTests {
    private let seen = SeenDocuments()
    private var kind: MemberIndexes { MemberIndexes(seen: seen) }

    @Test(arguments: Storage.all) func onePassForAllKinds(_ type: StorageType) throws {
        try withDatabase(type, modules: [DatabaseModule(indexes: kind)]) { (bed) throws in
            try bed.database.put((0..<20).map { (id: "\($0)", body: ["n": JSONValue($0), "m": JSONValue(-$0)]) })
            let names = try [IndexName("m", of: kind), IndexName("n", of: kind)]
            let views = MapCounter()
            try bed.view("n").setMap(version: "1") { document, emit in
                views.note(document)
                emit(document["n"])
            }
            try IndexUpdater(bed.database, ([IndexName(view: "n")] + names).sorted()).run()
            #expect(seen.take().count == 40)
            #expect(views.count == 20)
            #expect(try bed.rows(names[0])?.first == "0 0")
            #expect(try bed.rows(names[1])?.first == "19 19")
            #expect(try bed.view("n").query().keyList() == (0..<20).map { JSONValue($0) })
            try bed.view("n").delete()
            #expect(try bed.rows(names[1])?.count == 20, "An index of the same name is another one.")
            try bed.database.change { (session) throws(StorageError) in
                try IndexClaim.remove(names[0], in: session)
            }
            #expect(
                try bed.engine().read { (transaction) throws(StorageError) in try transaction.indexNames().count } == 1
            )
        }
    }

    @Test("A kind is checked, whichever module joined first", arguments: [false, true])
    func keeper(viewsFirst: Bool) throws {
        let folder = try TemporaryFolder()
        let members = DatabaseModule(indexes: kind)
        let manager = try Manager(
            directory: folder.url,
            engines: BuiltInEngines.all,
            modules: viewsFirst ? [.views, members] : [members, .views]
        )
        let database = try manager.database(named: "test")
        database.join(.views)
        database.join(members)
        try database.change { (session) throws(StorageError) in
            session.noteChange()
            for name in ["v/1", "m/1"] {
                try session.transaction.setIndexState(name, IndexState(version: "1", collationVersion: "1"))
            }
        }
        #expect(
            try database.check().map(\.description).sorted() == [
                "index: the index 'm/1' belongs to no index", "index: the index 'v/1' belongs to no view",
            ]
        )
        try manager.close()
    }

    @Test(arguments: Storage.all) func aKeyThatIsNotThatOfItsJSON(_ type: StorageType) throws {
        try withDatabase(type, modules: [DatabaseModule(indexes: kind)]) { (bed) throws in
            let name = try IndexName("n", of: kind)
            try bed.database["a"].put(["n": 1])
            try IndexUpdater(bed.database, [name]).run()
            #expect(try bed.database.check().isEmpty)
            try bed.database.change { (session) throws(StorageError) in
                session.noteChange()
                var batch = IndexBatch()
                let (id, json) = (Array("a".utf8), Array("1".utf8))
                let key = try unsafe MemberMapper.sortKey(of: Array("2".utf8).span.bytes)
                unsafe batch.begin(id.span.bytes, sequence: 1)
                unsafe batch.add(key: key.span.bytes, keyJSON: json.span.bytes, valueJSON: nil)
                var changes = RowChanges(recordsPositions: false)
                for index in try session.transaction.indexNames() {
                    try session.transaction.replaceIndexRows(index, by: [batch], areNew: false, changes: &changes)
                }
            }
            let problems = try bed.database.check().map(\.description)
            #expect(problems.contains("index: index 'n': 1 rows are not where their keys belong"), "\(problems)")
            try bed.database.change { (session) throws(StorageError) in
                try IndexClaim.removeRows(of: name, in: session)
            }
        }
    }

    /// Records have one form, so that a program need not know a kind to leave out what is half made.
    @Test(arguments: Storage.all) func halfMadeIndexesOfAnUnknownKind(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let name = try IndexName("n", of: kind)
            try bed.database["a"].put(["n": 1])
            try IndexUpdater(bed.database, [name]).run()
            let index = try bed.database.change { (session) throws(StorageError) -> String in
                var record = try IndexRecord.load(name, in: session.transaction)
                record?.entries[0].filler = "gone"
                try record?.store(name, in: session)
                return record?.entries[0].index ?? ""
            }
            let keeper = CommonIndexKeeper(kinds: [])
            try bed.database.withReadTransaction { (transaction) throws(StorageError) in
                #expect(try keeper.unfinishedIndexes(in: transaction) == [Array(index.utf8)])
                let value = try transaction.info(name.recordKey) ?? []
                let left = try keeper.info(name.recordKey, value, without: [Array(index.utf8)])
                #expect(String(decoding: left ?? [], as: UTF8.self) == #"{"indexes":[],"version":"n"}"#)
            }
            try bed.database.change { (session) throws(StorageError) in
                try IndexClaim.remove(name, in: session)
            }
        }
    }
}
