import Settee
import SetteeTestSupport
import Testing

/// Map functions that are stored in the database.
@Suite struct ViewDefinitionTests {
    private func pointer(_ text: String) throws -> JSONPointer { try JSONPointer(text) }

    private func define(
        _ bed: TestDatabase,
        _ keys: [String],
        value: String? = nil,
        where conditions: String? = nil
    ) throws {
        var definition = ViewDefinition(keys: try keys.map(pointer))
        definition.value = try value.map(pointer)
        if let conditions { definition.conditions = try ViewDefinition.conditions(parsing: conditions) }
        try bed.view().define(definition)
    }

    // MARK: - Conditions

    @Test func conditionsAreRead() throws {
        func read(_ text: String) throws -> [String] {
            try ViewDefinition.conditions(parsing: text).map { "\($0.place) \($0.comparison.rawValue) \($0.literal)" }
        }
        #expect(try read(#"/type == "book""#) == [#"/type == "book""#])
        #expect(try read("/a==1") == ["/a == 1"])
        #expect(try read("/a!=1") == ["/a != 1"])
        #expect(try read("  /a  <\t-1.50e1\n") == ["/a < -15"])
        #expect(try read("/a<=null and /b>=true and\n/c>false") == ["/a <= null", "/b >= true", "/c > false"])
        #expect(try read(#"/a/b~1c/0 == [1, "x y", {"and": "]"}]"#) == [#"/a/b~1c/0 == [1,"x y",{"and":"]"}]"#])
        #expect(try read(#"/a == {"b": "}\"", "a": [] } and /b == 2"#) == [#"/a == {"a":[],"b":"}\""}"#, "/b == 2"])
        #expect(
            try read(#""/with space" == "a\"b\\" and "/a==b" != """#) == [#"/with space == "a\"b\\""#, #"/a==b != """#]
        )
        #expect(try read(#""" == {}"#) == [" == {}"])
        #expect(try read("/é == \"日本\"") == ["/é == \"日本\""])
        #expect(try read("/and == 1 and /b == 2") == ["/and == 1", "/b == 2"])
        #expect(try read("/ == 1") == ["/ == 1"], "The member without a name.")
        #expect(try read("/n == 18446744073709551615") == ["/n == 18446744073709551615"])
    }

    @Test func whatIsNoConditionIsRefused() {
        for text in [
            "", " ", "/a", "/a ==", "/a = 1", "/a === 1", "/a <> 1", "a == 1", "== 1", "/a == book", "/a == 'x'",
            "/a == \"x",
            "/a == [1", "/a == {\"a\":1", "/a == [1,]", "/a == 1 and", "/a == 1 and ", "/a == 1 or /b == 2",
            "/a == 1 /b == 2",
            "/a == 1 and and /b == 2", "/a == 1 AND /b == 2", "/a == 1 and/b == 2", "/a == 1, /b == 2",
            "/a == 1and /b == 2",
            "\"a\" == 1", "\"/a == 1", "/a~2 == 1", "\"/a~\" == 1", "1 == /a", "/a == 01", "/a == 1e400", "/a == NaN",
            "/a == \"\\ud800\"", "(/a == 1)", "\"", "/a == \"\\",
        ] {
            expectError(.badParameter, "\(text)") { try ViewDefinition.conditions(parsing: text) }
        }
        #expect(StorageError.Code.badParameter.status == 495)
        do throws(StorageError) {
            _ = try ViewDefinition.conditions(parsing: "/a == 1 and /b ~ 2")
            Issue.record("It was read.")
        } catch {
            #expect(error.message.contains("byte 16"), "\(error.message)")
        }
    }

    @Test(arguments: Storage.all) func comparisonsHoldOfLikeTypes(_ type: StorageType) throws {
        let values: [(String, JSONValue)] = [
            ("null", nil), ("false", false), ("true", true), ("-1", -1), ("1", 1), ("1.5", 1.5),
            ("2^53", 9_007_199_254_740_992),
            ("2^53 exp", 9.007199254740992e15), ("a", "a"), ("B", "B"), ("b", "b"), ("é", "é"), ("é 2", "e\u{301}"),
            ("[]", []),
            ("[1]", [1]), ("[1,2]", [1, 2]), ("{}", [:]), ("{a}", ["a": 1]),
        ]
        try withDatabase(type) { (bed) throws in
            for (id, value) in values { try bed.database[id].put(["v": value, "deep": ["x": [value]]]) }
            try bed.database["missing"].put([:])
            func expect(_ condition: String, _ ids: [String], sourceLocation: SourceLocation = #_sourceLocation) throws
            {
                for place in ["/v", "/deep/x/0"] {
                    try define(bed, ["/_id"], where: place + " " + condition)
                    let found = try Set(bed.view().query().sources())
                    #expect(found == Set(ids), "\(condition)", sourceLocation: sourceLocation)
                }
            }
            try expect("== null", ["null"])
            try expect("!= null", [])
            try expect("== true", ["true"])
            try expect("!= true", ["false"])
            try expect("< true", ["false"])
            try expect(">= false", ["false", "true"])
            try expect("== 1", ["1"])
            try expect("== 1.0", ["1"])
            try expect("!= 1", ["-1", "1.5", "2^53", "2^53 exp"])
            try expect("< 1.5", ["-1", "1"])
            try expect("<= 1.5", ["-1", "1", "1.5"])
            try expect("> 1", ["1.5", "2^53", "2^53 exp"])
            try expect(">= 9007199254740992", ["2^53", "2^53 exp"])
            try expect("== 9007199254740992", ["2^53", "2^53 exp"])
            try expect("> 9007199254740992", [])
            try expect("< 9007199254740993 and /v > 2", ["2^53", "2^53 exp"])
            try expect(#"== "é""#, ["é"])
            try expect(#"!= "é""#, ["a", "B", "b", "é 2"])
            try expect(#"< "B""#, ["a", "b"])
            try expect(#"<= "B""#, ["a", "b", "B"])
            try expect(#"> "b""#, ["B", "é", "é 2"])
            try expect(#">= "é""#, ["é"])
            try expect(#"> "é""#, [])
            try expect("== []", ["[]"])
            try expect("!= []", ["[1]", "[1,2]"])
            try expect("> [1]", ["[1,2]"])
            try expect("<= [1]", ["[]", "[1]"])
            try expect("== {}", ["{}"])
            try expect("> {}", ["{a}"])
        }
    }

    // MARK: - Rows

    @Test(arguments: Storage.all) func keysAndValuesAreTakenFromTheirPlaces(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["n": 1, "x": ["y": ["z", nil]], "a/b": 2, "~": 3, "": 4, "é": 5, "type": "t"])
            try bed.database["b"].put(["n": nil, "x": "y"])
            try bed.database["c"].put(["m": 1])
            func expect(
                _ keys: [String],
                _ value: String? = nil,
                _ lines: [String],
                sourceLocation: SourceLocation = #_sourceLocation
            ) throws {
                try define(bed, keys, value: value)
                #expect(try bed.view().query().lines() == lines, "\(keys)", sourceLocation: sourceLocation)
            }
            try expect(["/n"], nil, ["null - b", "1 - a"])
            try expect(["/n"], "/x", [#"null "y" b"#, #"1 {"y":["z",null]} a"#])
            try expect(["/m"], "/none", ["1 - c"])
            try expect(["/x/y/0"], nil, ["\"z\" - a"])
            try expect(["/x/y/1"], nil, ["null - a"])
            for place in ["/x/y/2", "/x/y/00", "/x/y/-", "/x/y/0/0", "/n/0", "/_conflicts"] {
                try expect([place], nil, [])
            }
            try expect(["/a~1b"], "/~0", ["2 3 a"])
            try expect(["/"], "/é", ["4 5 a"])
            // Several make an array, with null for what is not there.
            try expect(["/n", "/m"], nil, ["[null,null] - b", "[null,1] - c", "[1,null] - a"])
            try expect(["/none", "/none"], nil, ["[null,null] - a", "[null,null] - b", "[null,null] - c"])
            try expect(["/_id"], "/_local_seq", [#""a" 1 a"#, #""b" 2 b"#, #""c" 3 c"#])
            let revision = try bed.database["c"].read().id.string
            try expect(
                ["/m", "/_id"],
                "/_rev",
                [
                    try #"[null,"a"] "\#(bed.database["a"].read().id.string)" a"#,
                    try #"[null,"b"] "\#(bed.database["b"].read().id.string)" b"#, #"[1,"c"] "\#(revision)" c"#,
                ]
            )
            // The whole document.
            try define(bed, ["/m"], value: "")
            #expect(try bed.view().query().run().map(\.value) == [["_id": "c", "_rev": .string(revision), "m": 1]])
            try define(bed, [""])
            #expect(try bed.view().query(startKey: [:]).run().map { $0.key["_id"] }.contains("c"))
        }
    }

    @Test(arguments: Storage.all) func typesCollationsAndChanges(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for id in ["a", "B", "c"] { try bed.database[id].put(["type": id == "c" ? "x" : "y"]) }
            var definition = ViewDefinition(keys: [try pointer("/_id")])
            #expect(try bed.view().define(definition))
            #expect(try bed.view().query().sources() == ["a", "B", "c"])
            definition.collation = .raw
            #expect(try bed.view().define(definition))
            #expect(try bed.view().query().sources() == ["B", "a", "c"])
            definition.documentType = "y"
            #expect(try bed.view().define(definition))
            #expect(try bed.view().query().sources() == ["B", "a"])
            definition.conditions = try ViewDefinition.conditions(parsing: #"/_id != "a""#)
            #expect(try bed.view().define(definition))
            #expect(try bed.view().query().sources() == ["B"])
            try bed.database["B"].update { $0["type"] = "x" }
            try bed.database["c"].update { $0["type"] = "y" }
            #expect(try bed.view().query().sources() == ["c"])
            #expect(try !bed.view().define(definition))
            #expect(try bed.view().status()?.definition == definition)
        }
    }

    @Test(arguments: Storage.persistent) func theySurviveReopening(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let definition = ViewDefinition(
                keys: [try pointer("/a~1b~0/é/0"), try pointer(""), try pointer("/")],
                value: try pointer("/value"),
                conditions: try ViewDefinition.conditions(
                    parsing:
                        #"/a == null and /b != [1,{"x":1e300}] and "/c d" >= "\u0000" and /e < 18446744073709551615"#
                ),
                documentType: "t",
                collation: .raw
            )
            let other = ViewDefinition(keys: [try pointer("/n")])
            try bed.view().define(definition)
            try bed.view("other").define(other)
            try bed.view("set").setMap(version: "1") { _, _ in }
            try bed.database["x"].put(["n": 1])
            #expect(try bed.view("other").query().lines() == ["1 - x"])
            try bed.reopen()
            #expect(try bed.database.viewNames() == ["other", "set", "view"])
            #expect(try bed.view().definition() == definition)
            #expect(try bed.view("other").definition() == other)
            #expect(try bed.view("set").definition() == nil)
            #expect(try bed.view("none").definition() == nil)
            #expect(try bed.view("other").query(update: .never).lines() == ["1 - x"])
            try bed.database["y"].put(["n": 2])
            #expect(try bed.view("other").query().lines() == ["1 - x", "2 - y"])
            #expect(try !bed.view("other").define(other))
            try bed.view("other").delete()
            #expect(try bed.view("other").definition() == nil)
            #expect(try bed.database.viewNames() == ["set", "view"])
        }
    }

    @Test(arguments: Storage.all) func whatIsNoDefinitionIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let good = ViewDefinition(keys: [try pointer("/n")])
            try bed.view().define(good)
            var bad = ViewDefinition(keys: [])
            expectError(.badParameter) { try bed.view().define(bad) }
            bad = good
            bad.reduce = "_none"
            expectError(.badParameter) { try bed.view().define(bad) }
            bad = good
            bad.conditions = [.init(try pointer("/n"), .less, .double(.nan))]
            expectError(.badParameter) { try bed.view().define(bad) }
            bad.conditions = [.init(try pointer("/n"), .equal, (0..<600).reduce(1) { value, _ in .array([value]) })]
            expectError(.badParameter) { try bed.view().define(bad) }
            expectError(.badID) { try bed.view("").define(good) }
            #expect(try bed.view().definition() == good, "What was there stays.")
        }
    }
}
