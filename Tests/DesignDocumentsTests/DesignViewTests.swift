internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

/// Views of design documents are views like others.
@Suite struct DesignViewTests {
    @Test(arguments: Storage.all) func rowsAreThoseOfTheSameMapInSwift(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var people = People(seed: 18)
            try bed.database.put((0..<1500).map { ("p\($0)", people.next()) })
            try bed.putView(People.map)
            try bed.view("swift").setMap(version: "1", People.swiftMap)
            let functions = bed.functions()
            for round in 0..<4 {
                let rows = try functions.view("v", of: "d").query().run().map(\.line)
                let expected = try bed.view("swift").query().run().map(\.line)
                #expect(rows == expected, "round \(round)")
                #expect(rows.count > 1000)
                // Some change, some go, some are new.
                for number in stride(from: round, to: 1500, by: 50) {
                    let document = bed.database["p\(number)"]
                    if number % 3 == 0 { try document.delete() } else { try document.update { $0 = people.next() } }
                }
                try bed.database.put((0..<30).map { ("r\(round)-\($0)", people.next()) })
            }
        }
    }

    @Test(arguments: Storage.all) func changedFunctionsCount(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for number in 0..<5 { try bed.database["\(number)"].put(["n": .int(Int64(number))]) }
            let functions = bed.functions()
            try bed.putView("doc => emit(doc.n)")
            #expect(try functions.view("v", of: "d").query().keyList() == [0, 1, 2, 3, 4])
            try bed.putView("doc => emit(-doc.n)")
            #expect(try functions.view("v", of: "d").query().keyList() == [-4, -3, -2, -1, 0])
            // As another program does it.
            let other = bed.functions()
            try bed.putView("doc => emit(doc.n * 10)")
            #expect(try other.view("v", of: "d").query().keyList() == [0, 10, 20, 30, 40])
            #expect(try functions.view("v", of: "d").query().keyList() == [0, 10, 20, 30, 40])
        }
    }

    @Test func aViewThatDidNotChangeKeepsItsIndex() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database["a"].put(["n": 1])
            let functions = bed.functions()
            try bed.putView("doc => emit(doc.n, 1)", reduce: "_sum")
            let view = try functions.view("v", of: "d")
            try view.updateIndex()
            let built = try #require(try view.status())
            try bed.putView("doc => emit(doc.n, 1)", reduce: "_count")
            let now = try #require(try functions.view("v", of: "d").status())
            #expect(now.version == built.version && now.rowCount == 1)
            #expect(now.reduce == "_count" && built.reduce == "_sum")
            #expect(try view.query().run().map(\.value) == [1])
            try bed.putView("doc => emit(doc.n, 2)", reduce: "_count")
            #expect(try functions.view("v", of: "d").status()?.version != built.version)
        }
    }

    @Test(arguments: Storage.all) func functionsSeeSpecialProperties(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.insert("a", ["1-a"], ["n": 1])
            try bed.database.insert("a", ["1-b"], ["n": 2])
            try bed.database["q\"\\ü"].put([:])
            let revision = try #require(try bed.database["q\"\\ü"].revision()?.id.string)
            try bed.putView("doc => emit(doc._id, [doc._rev, doc._conflicts, doc._local_seq, doc._attachments])")
            let functions = bed.functions()
            #expect(
                try functions.view("v", of: "d").query().lines() == [
                    #""a" ["1-b",["1-a"],null,null] a"#, #""q\"\\ü" ["\#(revision)",null,null,null] q"\ü"#,
                ]
            )
            try bed.putView("doc => emit(doc._id, doc._local_seq)", options: ["local_seq": true])
            #expect(try functions.view("v", of: "d").query().run().map(\.value) == [2, 3])
        }
    }

    @Test(arguments: Storage.all) func designDocumentsAreMappedOnRequest(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put([:])
            let functions = bed.functions()
            let map = "doc => emit(doc._id)"
            try bed.putView(map)
            #expect(try functions.view("v", of: "d").query().keyList() == ["a"])
            try bed.putView(map, options: ["include_design": true])
            #expect(try functions.view("v", of: "d").query().keyList() == ["_design/d", "a"])
            try bed.putDesign("e", [:])
            #expect(try functions.view("v", of: "d").query().keyList() == ["_design/d", "_design/e", "a"])
            #expect(try bed.database.check().map(\.description) == [])
        }
    }

    @Test func rawCollationIsKept() throws {
        try withDatabase(.memory) { (bed) throws in
            for id in ["a", "B", "b"] { try bed.database[id].put([:]) }
            let functions = bed.functions()
            try bed.putView("doc => emit(doc._id)")
            #expect(try functions.view("v", of: "d").query().keyList() == ["a", "b", "B"])
            try bed.putView("doc => emit(doc._id)", options: ["collation": "raw"])
            #expect(try functions.view("v", of: "d").query().keyList() == ["B", "a", "b"])
            #expect(try functions.view("v", of: "d").status()?.collation == .raw)
        }
    }

    @Test func viewsThatAreNotThere() throws {
        try withDatabase(.memory) { (bed) throws in
            let functions = bed.functions()
            expectDesignError(.missing("missing")) { try functions.view("v", of: "d") }
            try bed.putDesign("d", ["views": ["lib": ["map": "doc => 1"], "x": ["reduce": "_sum"], "y": 1]])
            for name in ["v", "lib", "x", "y", ""] {
                expectDesignError(.missing("missing_named_view")) { try functions.view(name, of: "d") }
            }
            #expect(try functions.viewNames() == [])
            try bed.putDesign("d", ["language": "query", "views": ["v": ["map": ["fields": [:]]]]])
            expectDesignError(.unsupportedLanguage("query")) { try functions.view("v", of: "d") }
            try bed.database["_design/d"].delete()
            expectDesignError(.missing("deleted")) { try functions.view("v", of: "d") }
        }
    }

    @Test(arguments: [
        ("function (doc) {", nil), ("doc => emit(1)", "function ("), ("doc => emit(1)", "_unknown"), ("3 +", nil),
    ])
    func functionsThatCannotBeCompiled(map: String, reduce: String?) throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.putView(map, reduce: reduce)
            let error = #expect(throws: DesignError.self) { try bed.functions().view("v", of: "d") }
            #expect(error?.status == 400)
        }
    }

    /// Names with slashes, and the names that they have in the database.
    @Test func namesHaveOneMeaning() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database["x"].put([:])
            try bed.putDesign("a/b", ["views": ["c": ["map": "doc => emit('a/b c')"], "%": ["map": "doc => 1"]]])
            try bed.putDesign("a", ["views": ["b/c": ["map": "doc => emit('a b/c')"]]])
            let functions = bed.functions()
            #expect(try functions.viewNames() == ["a/b%2Fc", "a/b/%25", "a/b/c"])
            #expect(try functions.view("c", of: "a/b").query().keyList() == ["a/b c"])
            #expect(try functions.view("b/c", of: "a").query().keyList() == ["a b/c"])
            for name in try functions.viewNames() { #expect(try functions.view(named: name)?.name == name) }
            for name in ["a", "/a", "a/", "a/%", "a/b%2fc", "b/c"] { #expect(try functions.view(named: name) == nil) }
        }
    }

    /// Until a design document has a view of that name.
    @Test func viewsOfTheAppCountToo() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database["x"].put([:])
            try bed.view("d/v").setMap(version: "1") { _, emit in emit("app") }
            let functions = bed.functions()
            #expect(try functions.view("v", of: "d").query().keyList() == ["app"])
            try bed.putView("doc => emit('design')")
            #expect(try functions.view("v", of: "d").query().keyList() == ["design"])
            try bed.database["_design/d"].delete()
            expectDesignError(.missing("deleted")) { try functions.view("v", of: "d") }
        }
    }

    @Test(arguments: Storage.persistent) func indexesStayWhenADatabaseIsOpenedAgain(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for number in 0..<20 { try bed.database["\(number)"].put(["n": .int(Int64(number))]) }
            try bed.putView("doc => emit(doc.n, 1)", reduce: "(keys, values) => sum(values)")
            #expect(try bed.functions().view("v", of: "d").query().run().map(\.value) == [20])
            try bed.reopen()
            let view = try bed.functions().view("v", of: "d")
            #expect(try view.status()?.rowCount == 20)
            #expect(try view.query().run().map(\.value) == [20])
        }
    }

    /// Rows that the index lacks are mapped into memory there.
    @Test func snapshotsAndTransactions() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database["a"].put([:])
            try bed.putView("doc => emit(doc._id)")
            let view = try bed.functions().view("v", of: "d")
            let read = try bed.database.read { _ in try view.query().keyList() }
            #expect(read == ["a"])
            let written = try bed.database.inTransaction { () throws in
                try bed.database["b"].put([:])
                return try view.query().keyList()
            }
            #expect(written == ["a", "b"])
        }
    }
}
