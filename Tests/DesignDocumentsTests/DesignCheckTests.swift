internal import Settee
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import Testing

/// What is checked before a design document is saved.
@Suite struct DesignCheckTests {
    static let invalid: [(JSONObject, String)] = [
        (["views": []], "`views` field must have object type"),
        (["views": ["v": 1]], "`views.v` field must have object type"),
        (["views": ["v": ["map": 1]]], "`views.v.map` field must have string type"),
        (["views": ["v": ["map": "doc => 1", "reduce": nil]]], "`views.v.reduce` field must have string type"),
        (["views": ["v": [:]]], "View `v` must contain map function"),
        (["views": ["lib": "x"]], "`views.lib` field must have object type"),
        (["filters": "x"], "`filters` field must have object type"),
        (["filters": ["f": 1]], "`filters.f` field must have string or object type"),
        (["updates": ["u": []]], "`updates.u` field must have string or object type"),
        (["rewrites": [:]], "`rewrites` field must have array or string type"),
        (["language": 1], "`language` field must have string type"),
        (["options": []], "`options` field must have object type"),
        (["options": ["local_seq": 1]], "`options.local_seq` field must have boolean type"),
        (["validate_doc_update": ["x"]], "`validate_doc_update` field must have string type"),
        (["language": "query", "views": ["v": ["map": "x"]]], "`views.v.map` field must have object type"),
        (["views": ["v": ["map": "doc => 1", "reduce": "_none"]]], "`_none` is not a supported reduce function."),
    ]

    @Test func membersHaveTheirTypes() throws {
        try withDatabase(.memory) { (bed) throws in
            let functions = bed.functions()
            for (design, reason) in DesignCheckTests.invalid {
                expectDesignError(.invalid(reason)) { try functions.check(design, as: "d") }
            }
            let valid: [JSONObject] = [
                [:], ["x": 1, "views": [:]], ["filters": ["f": ["g": "x"]], "rewrites": []],
                ["views": ["lib": ["a": "exports.x = 1"], "v": ["map": "doc => 1", "reduce": "_sum\n"]]],
                ["language": "query", "views": ["v": ["map": ["fields": [:]], "reduce": "_count"]]],
                ["language": "erlang", "views": ["v": ["map": "fun"]]],
                // As in CouchDB, which compiles the functions of views alone.
                ["filters": ["f": "(;"], "validate_doc_update": "(;"],
            ]
            for design in valid { try functions.check(design, as: "d") }
        }
    }

    @Test func functionsOfViewsAreCompiled() throws {
        try withDatabase(.memory) { (bed) throws in
            let functions = bed.functions()
            for (design, kind) in [
                (["views": ["v": ["map": "doc => {"]]], "map"), (["views": ["v": ["map": "1"]]], "map"),
                (["views": ["v": ["map": "doc => 1", "reduce": "(;"]]], "reduce"),
            ] as [(JSONObject, String)] {
                let error = #expect(throws: DesignError.self) { try functions.check(design, as: "d") }
                let words = "Compilation of the \(kind) function in the 'v' view failed: "
                #expect(error?.errorDescription?.hasPrefix(words) == true)
                #expect(error?.status == 400)
                // Without the worker they are not, nor by one that ends, as one of another version does.
                for executable in ["/none", "/bin/true"] {
                    try bed.functions(executable: executable).check(design, as: "d")
                }
            }
        }
    }
}
