internal import Settee
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

/// Functions that require modules of their design document.
@Suite struct DesignRequireTests {
    private func design(_ library: String) -> JSONObject {
        [
            "shared": ["names": "exports.ok = name => name === 'ida'; exports.lib = require('views/lib/key');"],
            "views": [
                "lib": ["key": .string(library)],
                "v": ["map": "doc => emit(require('views/lib/key')(doc.n))"],
                "plain": ["map": "doc => emit(doc.n)"],
                "outside": ["map": "doc => emit(require('shared/names').ok('ida'))"],
            ],
            "filters": ["f": "doc => require('shared/names').ok(doc.name)"],
            "validate_doc_update": "doc => { if (!require('shared/names').ok(doc.name)) throw {forbidden: 'no'} }",
        ]
    }

    @Test(arguments: Storage.all) func aChangedLibraryMakesTheIndexAnew(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["n": 1])
            try bed.putDesign("d", design("module.exports = n => [n, 'x'];"))
            let functions = bed.functions()
            let keys = { (name: String) in try functions.view(name, of: "d").query().run().map(\.key) }
            #expect(try keys("v") == [[1, "x"]])
            #expect(try keys("plain") == [1])
            let version = { (name: String) in try functions.view(name, of: "d").status()?.version }
            let before = (try version("v"), try version("plain"))
            try bed.putDesign("d", design("module.exports = n => [n, 'y'];"))
            #expect(try keys("v") == [[1, "y"]])
            #expect(try keys("plain") == [1])
            #expect(try version("v") != before.0)
            // It requires nothing.
            #expect(try version("plain") == before.1)
        }
    }

    @Test func mapFunctionsSeeTheLibraryAlone() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database["a"].put(["n": 1])
            try bed.putDesign("d", design("module.exports = n => n;"))
            let view = try bed.functions().view("outside", of: "d")
            let error = #expect(throws: StorageError.self) { _ = try view.query().run() }
            #expect((error?.cause as? JavaScriptError)?.status == 400)
            #expect(error?.code == .badRequest)
        }
    }

    @Test func otherFunctionsSeeTheWholeDesignDocument() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.putDesign("d", design("module.exports = n => n;"))
            let functions = bed.functions()
            let documents = [#"{"name":"ida"}"#, #"{"name":"bo"}"#].map { bytes($0) }
            let accepted = try functions.filter("f", of: "d").accepts(documents, request: bytes("{}"))
            #expect(accepted == [.success(true), .success(false)])
            let emits = try functions.viewFilter("outside", of: "d").accepts(documents, request: bytes("{}"))
            #expect(emits == [.success(true), .success(true)])
            let user = bytes(#"{"db":"test","name":null,"roles":[]}"#)
            let validation = try #require(try functions.validation(user: user, security: bytes("{}")))
            _ = try bed.database.withValidation(validation) { try bed.database["a"].put(["name": "ida"]) }
            let error = #expect(throws: StorageError.self) {
                _ = try bed.database.withValidation(validation) { try bed.database["b"].put(["name": "bo"]) }
            }
            #expect(error?.status == 403)
        }
    }
}
