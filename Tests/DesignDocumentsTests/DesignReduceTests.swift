internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@Suite struct DesignReduceTests {
    static let map = "doc => emit([doc.n % 7, doc.n % 3], doc.n)"
    static let sum = """
        function (keys, values, rereduce) {
            if (rereduce !== (keys === null)) throw new Error('keys');
            return values.reduce((a, b) => a + b, 0);
        }
        """

    func fill(_ bed: TestDatabase, _ count: Int) throws {
        try bed.database.put((0..<count).map { ("\($0)", ["n": .int(Int64($0))]) })
    }

    @Test(arguments: Storage.all) func groupsAreThoseOfABuiltInFunction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed, 3000)
            try bed.putDesign(
                "d",
                [
                    "views": [
                        "own": ["map": .string(Self.map), "reduce": .string(Self.sum)],
                        "built": ["map": .string(Self.map), "reduce": "_sum"],
                    ]
                ]
            )
            let functions = bed.functions()
            let own = try functions.view("own", of: "d").query()
            let built = try functions.view("built", of: "d").query()
            #expect(try functions.view("own", of: "d").status()?.reduce == "javascript")
            for round in 0..<2 {
                for level in 0...3 {
                    for descending in [false, true] {
                        let change: (inout DatabaseQuery) -> Void = {
                            $0.groupLevel = level
                            $0.descending = descending
                        }
                        #expect(try own.with(change).lines() == built.with(change).lines())
                    }
                }
                let part = { (query: inout DatabaseQuery) in
                    query.startKey = [2, 1]
                    query.endKey = [5]
                }
                #expect(try own.with(part).lines() == built.with(part).lines())
                try bed.database["more \(round)"].put(["n": 12])
                try bed.database["\(17 + round)"].delete()
            }
        }
    }

    // LightCouch reads `_sum` from a file with a line's end. The view had no such function.
    @Test func blanksBehindABuiltInFunctionMeanNothing() throws {
        try withDatabase(.memory) { (bed) throws in
            try fill(bed, 3)
            let view: JSONObject = ["map": "doc => emit(null, doc.n)", "reduce": "_sum \r\n"]
            try bed.putDesign("d", ["views": ["v": .object(view)]])
            let stored = try bed.functions().view("v", of: "d")
            #expect(try stored.query().run().map(\.value) == [3])
        }
    }

    @Test func keysComeWithTheirDocuments() throws {
        try withDatabase(.memory) { (bed) throws in
            try fill(bed, 3)
            try bed.putView("doc => emit(doc.n)", reduce: "(keys, values) => [keys, values]")
            let rows = try bed.functions().view("v", of: "d").query().run()
            #expect(rows.map(\.value) == [[[[0, "0"], [1, "1"], [2, "2"]], [nil, nil, nil]]])
        }
    }

    @Test(arguments: ["_count", "_sum", "_stats", "_approx_count_distinct"])
    func builtInFunctionsNeedNoWorker(_ name: String) throws {
        try withDatabase(.memory) { (bed) throws in
            try fill(bed, 10)
            try bed.putView("doc => emit(doc.n, doc.n)", reduce: name)
            let value = try bed.functions().view("v", of: "d").query().run().first?.value
            switch name {
            case "_sum": #expect(value == 45)
            case "_stats": #expect(value == ["sum": 45, "count": 10, "min": 0, "max": 9, "sumsqr": 285])
            default: #expect(value == 10)
            }
        }
    }

    @Test func aFunctionThatFailsIsTheQuerysError() throws {
        try withDatabase(.memory) { (bed) throws in
            try fill(bed, 5)
            try bed.putView("doc => emit(doc.n)", reduce: "() => { throw new Error('never') }")
            let view = try bed.functions().view("v", of: "d")
            #expect(throws: JavaScriptError.thrown("Error: never (line 1)")) { try view.query().run() }
            var rows = view.query()
            rows.reduce = false
            #expect(try rows.run().count == 5)
        }
    }
}
