import Settee
import SetteeTestSupport
import Testing

/// `revpos`: the generation of the revision that brought the content. Receivers keep what they have of it.
@Suite struct AttachmentGenerationTests {
    private static let old = #"{"_attachments":{"x":{"data":"b2xk"}}}"#
    private static let sha1 = "sha1-wA27ydrfvh4jLpOnKd1HUvreCr8="  // of "old"

    @Test(arguments: Storage.all) func contentOfAnEditHereIsOfItsGeneration(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let staged = try bed.database.stageAttachment(.bytes(Array("new".utf8)))
            let contents = [
                #""data":"bmV3""#, #""data":"b2xk""#, #""follows":true,"digest":"\#(staged.digest)""#,
                #""follows":true,"digest":"\#(Self.sha1)""#,
            ]
            for (number, content) in contents.enumerated() {
                for revpos in [0, 1, 2, 9] {
                    let document = bed.database["\(number)-\(revpos)"]
                    let first = try document.put(json: Self.old)
                    let second = try document.put(
                        json: #"{"_attachments":{"x":{\#(content),"revpos":\#(revpos)}}}"#,
                        parent: first.id
                    )
                    #expect(try second.attachment(named: "x")?.revpos == 2, "\(content) \(revpos)")
                }
            }
            #expect(try bed.database.check().isEmpty)
            withExtendedLifetime(staged) {}
        }
    }

    @Test(arguments: Storage.all) func stubsOfWhatTheParentLacksAreOfTheirGeneration(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            let first = try document.put(json: Self.old)
            let second = try document.setAttachment(named: "x", content: Array("new".utf8))
            let stub = #"{"stub":true,"revpos":1,"digest":"\#(Self.sha1)"}"#
            let third = try document.put(
                json: #"{"_attachments":{"x":\#(stub),"y":\#(stub)}}"#,
                parent: second.id
            )
            #expect(try third.attachment(named: "x")?.digest == first.attachment(named: "x")?.digest)
            #expect(try third.attachments.map(\.revpos) == [3, 3])
            let fourth = try document.put(json: #"{"_attachments":{"x":{"stub":true}}}"#, parent: third.id)
            #expect(try fourth.attachment(named: "x")?.revpos == 3, "The parent has it.")
            let other = try bed.database["b"].put(json: #"{"_attachments":{"y":\#(stub)}}"#)
            let next = try bed.database["b"].put(json: #"{"_attachments":{"z":\#(stub)}}"#, parent: other.id)
            #expect(try next.attachment(named: "z")?.revpos == 2)
            #expect(try bed.database.check().isEmpty)
        }
    }

    @Test(arguments: Storage.all) func checkTellsContentsThatAreNewerThanTheySay(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            func insert(_ history: [String], _ json: String) throws {
                let ids = try history.map { try RevisionID($0) }
                #expect(try document.forceInsert(json: json, history: ids))
            }
            try insert(["1-a"], Self.old)
            try insert(["2-b", "1-a"], #"{"_attachments":{"x":{"data":"b2xk","revpos":1},"y":{"data":"b2xk"}}}"#)
            #expect(try bed.database.check().isEmpty)
            try insert(["3-c", "2-b"], #"{"_attachments":{"x":{"data":"bmV3","revpos":1},"y":{"data":"bmV3"}}}"#)
            let problems = try bed.database.check()
            #expect(problems.map(\.area) == ["attachment"])
            #expect(problems.first?.message.contains("revision 3-c of document 'a'") == true)
            #expect(problems.first?.message.contains("revision 2-b has another content") == true)
            // Saved again it is told of the old revision alone, until that is compacted away.
            let saved = try document.setAttachment(named: "x", content: Array("new".utf8))
            #expect(try saved.attachment(named: "x")?.revpos == 4)
            #expect(try bed.database.check().count == 1)
            try bed.database.compact()
            #expect(try bed.database.check().isEmpty)
        }
    }

    // A replicator brings a content encoded, or decodes it on the way; another program's encoding has other bytes.
    @Test(arguments: Storage.all) func checkTakesAContentThatIsEncodedOtherwiseForTheSame(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            let history = try ["1-a", "2-b", "3-c", "4-d"].map { try RevisionID($0) }
            let contents = [
                "aGVsbG8=", Self.gzip("H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=="),
                Self.gzip("H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="),
            ]
            for (number, content) in contents.enumerated() {
                let entry = content.first == "{" ? content : #"{"data":"\#(content)","revpos":1}"#
                let json = #"{"_attachments":{"x":\#(entry)}}"#
                #expect(try document.forceInsert(json: json, history: history[...number].reversed()))
            }
            #expect(try bed.database.check().isEmpty)
            let longer = Self.gzip("H4sIAAAAAAACA8tIzcnJV1QEAEIYQ9MHAAAA")
            let json = #"{"_attachments":{"x":\#(longer)}}"#
            #expect(try document.forceInsert(json: json, history: history.reversed()))
            #expect(try bed.database.check().count == 1)
            try bed.database.compact()
        }
    }

    private static func gzip(_ data: String) -> String { #"{"data":"\#(data)","encoding":"gzip","revpos":1}"# }
}
