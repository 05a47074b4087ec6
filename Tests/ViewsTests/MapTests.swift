import Settee
import SetteeTestSupport
import Testing

/// What a map function sees, and what happens to what it emits.
@Suite struct MapTests {
    @Test(arguments: Storage.all) func keysAndValuesOfAllTypesComeBack(_ type: StorageType) throws {
        let values: [JSONValue] = [
            nil, false, true, -1.5e300, .int(.min), -1, 0, 0.5, 1, .int(.max), .uint(.max), 1e300, "", "\u{1F600}", "a",
            "ab", "é", "日本", [], [nil], [1, ["two", [3]]], [:], ["a": 1], ["b": ["c": [nil, true]]],
        ]
        try withDatabase(type) { (bed) throws in
            for (number, value) in values.enumerated() { try bed.database["\(number)"].put(["v": value]) }
            try bed.view().setMap(version: "1") { document, emit in emit(document["v"], document["v"]) }
            for _ in 0..<2 {
                let rows = try bed.view().query().run()
                #expect(rows.map(\.key) == values, "They are in the order of the list, and exact.")
                #expect(rows.map(\.value) == values)
                for (row, value) in zip(rows, values) {
                    #expect(try row.keyJSON == value.canonicalBytes())
                    #expect(try row.valueJSON == value.canonicalBytes())
                }
                for (number, value) in values.enumerated() {
                    let found = try bed.view().query(startKey: value, endKey: value).sources()
                    #expect(found == ["\(number)"], "by \(value)")
                }
                try bed.reopen()
                try bed.view().setMap(version: "1") { document, emit in emit(document["v"], document["v"]) }
            }
        }
    }

    @Test(arguments: Storage.all) func rowsOfOneKeyAreInOrderOfIDsThenOfEmission(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for id in ["é", "b", "B", "a", "a ", "日"] { try bed.database[id].put([:]) }
            try bed.view().setMap(version: "1") { document, emit in
                emit("k", 2)
                emit("j", 0)
                emit("k", 1)
                emit("k", 2)
            }
            let ids = ["B", "a", "a ", "b", "é", "日"]
            let rows = try bed.view().query(startKey: "k").run()
            #expect(rows.map(\.documentID?.string) == ids.flatMap { [$0, $0, $0] })
            #expect(rows.map(\.value) == ids.flatMap { _ in [2, 1, 2] as [JSONValue] })
            #expect(
                try bed.view().query(descending: true).run().map(\.line)
                    == bed.view().query().run().map(\.line).reversed()
            )
            #expect(try bed.view().status()?.rowCount == 24)
        }
    }

    /// Neither in a first build nor in an update.
    @Test(arguments: Storage.all) func designDocumentsAreNotMapped(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let first = try bed.database["_design/a"].put(["n": 1])
            try bed.database["a"].put(["n": 2])
            try bed.view().setMap(version: "1") { document, emit in emit(document["n"]) }
            #expect(try bed.view().query().sources() == ["a"])
            try bed.database["_design/a"].put(["n": 3], parent: first.id)
            try bed.database["_design/b"].put(["n": 4])
            try bed.database["b"].put(["n": 5])
            #expect(try bed.view().query().sources() == ["a", "b"])
            #expect(try bed.database.check().map(\.description) == [])
        }
    }

    @Test(arguments: Storage.all) func noKeyIsNoRowAndNoValueIsNotNull(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["null": nil])
            try bed.view().setMap(version: "1") { document, emit in
                emit(document["missing"], 1)
                emit(document["null"])
                emit(document["null"], nil)
                emit(document["null"], .some(.null))
                emit(nil, document)
                emit([document["missing"], document["null"], 1], document["missing"])
            }
            let rows = try bed.view().query().run()
            #expect(rows.map(\.key) == [nil, nil, nil, [nil, nil, 1]])
            #expect(rows.map(\.value) == [nil, nil, .some(.null), nil])
            #expect(rows.map { $0.valueJSON == nil } == [true, true, false, true])
            #expect(rows[3].key(at: 2) == 1)
            #expect(rows[3].key(at: 3) == nil)
            #expect(rows[0].key(at: 0) == .some(.null))
            #expect(rows[0].key(at: 1) == nil)
            let status = try bed.view().status()
            #expect(status?.refusedRows == 2)
            #expect(status?.failedDocuments == 0)
            #expect(status?.rowCount == 4)
        }
    }

    @Test(arguments: Storage.all) func theWholeDocumentIsReadWhenItIsAskedFor(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let first = try bed.database["a"].put(["n": 1])
            try bed.database["b"].put(["n": 2])
            try bed.database["c"].put(["n": 3])
            try bed.view().setMap(version: "1") { document, emit in
                emit(document["n"], document)
                emit(["array", document["n"]], document)
            }
            let row = try #require(try bed.view().query().first())
            #expect(row.value == ["_id": "a", "_rev": .string(first.id.string), "n": 1])
            #expect(row.valueJSON.map { String(decoding: $0, as: UTF8.self) } == row.value?.description)
            #expect(row.documentRevision == nil, "Nobody asked for it.")
            #expect(try bed.view().query(startKey: ["array"]).run().map { $0.value?["n"] } == [1, 2, 3])
            // The index stays as it is; the document that it refers to changes.
            let second = try bed.database["a"].put(["m": 4], parent: first.id)
            try bed.database["b"].delete()
            try bed.database["c"].purge()
            let rows = try bed.view().query(limit: 3, update: .never).run()
            #expect(rows.map(\.key) == [1, 2, 3])
            #expect(
                rows.map(\.value) == [
                    ["_id": "a", "_rev": .string(second.id.string), "m": 4], .some(.null), .some(.null),
                ]
            )
            #expect(row.value?["n"] == 1, "A row stays as it was.")
        }
    }

    @Test(arguments: Storage.all) func aValueMayNameAnotherDocument(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for id in ["live", "dead"] { try bed.database[id].put(["name": .string(id)]) }
            try bed.database["dead"].delete()
            for (id, target) in [("1", "live"), ("2", "dead"), ("3", "none"), ("4", "")] as [(String, JSONValue)] {
                try bed.database[id].put(["to": ["_id": target]])
            }
            try bed.database["5"].put(["to": ["_id": 5]])
            try bed.database["6"].put(["to": "live"])
            try bed.view().setMap(version: "1") { document, emit in
                if let target = document["to"] { emit(.string(document.id.string), target) }
            }
            var query = bed.view().query()
            #expect(try query.run().map(\.documentID?.string) == ["live", "dead", "none", nil, "5", "6"])
            #expect(try query.run().map(\.document?.id) == ["live", "dead", "none", nil, "5", "6"])
            #expect(try query.sources() == ["1", "2", "3", "4", "5", "6"])
            #expect(try query.run().allSatisfy { $0.documentRevision == nil })
            query.includeDocs = true
            let rows = try query.run()
            #expect(rows.map { $0.documentRevision?.documentID.string } == ["live", nil, nil, nil, "5", "6"])
            #expect(try rows[0].documentRevision?.properties["name"] == "live")
            // The document that the value refers to is read with the row, whatever it is by then.
            try bed.database["live"].update { $0["name"] = "changed" }
            #expect(try query.first()?.documentRevision?.properties["name"] == "changed")
            #expect(try rows[0].documentRevision?.properties["name"] == "live")
        }
    }

    @Test(arguments: Storage.all) func specialPropertiesAreThere(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let special = ["_id", "_rev", "_local_seq", "_conflicts", "_attachments", "_deleted", "n"]
            try bed.view().setMap(version: "1") { document, emit in
                emit(.array(special.map { document[$0] ?? "none" }))
                emit("all", .object(document.properties))
                var places: [JSONValue] = []
                for name in special { places.append(document[JSONPointer(names: [name])] ?? "none") }
                emit("places", .array(places))
                emit(
                    "handle",
                    [
                        .string(document.id.string), .string(document.revisionID), JSONValue(document.sequence),
                        .array(document.conflicts.map { .string($0) }),
                    ]
                )
                emit("inner", document[JSONPointer(names: ["_attachments", "x", "length"])])
            }
            let plain = try bed.database["plain"].put(["n": 1])
            try bed.database.insert("torn", ["2-b", "1-a"], ["n": 2])
            try bed.database.insert("torn", ["2-c", "1-a"], ["n": 3])
            try bed.database.insert("torn", ["2-a", "1-a"], ["n": 4])
            try bed.database.insert("torn", ["3-d", "2-d"], ["n": 4], isDeleted: true)
            try bed.database["with"].setAttachment(named: "x", content: .bytes([1, 2, 3]))
            let with = try bed.database["with"].read()
            let attachments = try #require(try with.properties["_attachments"])
            let rows = try bed.view().query().run().map {
                "\($0.key) \($0.value ?? "-") \($0.documentID?.string ?? "-")"
            }
            let expected: [JSONValue] = [
                ["plain", .string(plain.id.string), 1, "none", "none", "none", 1],
                ["torn", "2-c", 5, ["2-b", "2-a"], "none", "none", 3],
                ["with", .string(with.id.string), 6, "none", attachments, "none", "none"],
            ]
            for (id, values) in zip(["plain", "torn", "with"], expected) {
                #expect(rows.contains("\(values) \"-\" \(id)"))
                #expect(rows.contains("\"places\" \(values) \(id)"))
                var object = JSONObject()
                for (name, value) in zip(special, values.arrayValue ?? []) where value != "none" {
                    object[name] = value
                }
                #expect(rows.contains("\"all\" \(object) \(id)"))
                let conflicts = values[3]?.arrayValue ?? []
                let handle: JSONValue = [values[0] ?? nil, values[1] ?? nil, values[2] ?? nil, .array(conflicts)]
                #expect(rows.contains("\"handle\" \(handle) \(id)"))
            }
            #expect(rows.filter { $0.hasPrefix("\"inner\"") }.contains("\"inner\" 3 with"))
            #expect(rows.count == 15)
        }
    }

    @Test(arguments: Storage.all) func onlyDocumentsOfTheTypeAreMapped(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let mapped = MapCounter()
            try bed.database.put([
                ("1", ["type": "book"]), ("2", ["type": "film"]), ("3", [:]), ("4", ["type": ["book"]]),
                ("5", ["type": "Book"]), ("6", ["type": "book"]), ("7", ["type": "cafe\u{301}"]),
                ("8", ["type": "café"]),
            ])
            func set(_ documentType: String?) throws -> Bool {
                try bed.view().setMap(version: "1", documentType: documentType) { document, emit in
                    mapped.note(document)
                    emit(.string(document.id.string))
                }
            }
            #expect(try set("book"))
            #expect(try bed.view().query().sources() == ["1", "6"])
            #expect(mapped.take() == ["1", "6"])
            // A document that changes to another type leaves the view, one that changes to this type enters it.
            try bed.database["1"].update { $0["type"] = "film" }
            try bed.database["2"].update { $0["type"] = "book" }
            #expect(try bed.view().query().sources() == ["2", "6"])
            #expect(mapped.take() == ["2"])
            // Another type is another view, though the version is the same.
            #expect(try set("film"))
            #expect(try bed.view().query().sources() == ["1"])
            #expect(try set(nil))
            #expect(try bed.view().query().sources() == ["1", "2", "3", "4", "5", "6", "7", "8"])
            #expect(try !set(nil))
            #expect(try set("café"))
            #expect(try bed.view().query().sources() == ["8"], "Types are compared by their bytes.")
        }
    }
}
