internal import Settee
internal import SetteeDesignDocuments
internal import SetteeEngine
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@Suite struct DesignValidationTests {
    static let owners = """
        function (doc, old, user, security) {
            if (user.roles.indexOf('_admin') >= 0) return;
            if (!user.name) throw {unauthorized: 'Log in.'};
            if (security.closed) throw {forbidden: 'closed'};
            if (old && old.owner !== user.name) throw {forbidden: 'It is ' + old.owner + "'s."};
            if (!doc._deleted && doc.owner !== user.name) throw {forbidden: 'Be its owner.'};
            if (doc.bad) null.bad;
        }
        """

    /// Writes for a user, validated by the design documents.
    func write<R>(
        _ bed: TestDatabase,
        _ functions: DesignDocuments,
        as name: String?,
        security: String = "{}",
        _ body: () throws -> R
    ) throws -> R {
        let name = name.map { "\"\($0)\"" } ?? "null"
        let user = bytes(#"{"db":"test","name":\#(name),"roles":[]}"#)
        let validation = try #require(try functions.validation(user: user, security: bytes(security)))
        return try bed.database.withValidation(validation, perform: body)
    }

    func expectRefusal<R>(
        _ status: Int,
        _ message: String?,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> R
    ) {
        let error = #expect(throws: StorageError.self, sourceLocation: sourceLocation) { _ = try body() }
        #expect(error?.status == status, sourceLocation: sourceLocation)
        if let message { #expect(error?.message == message, sourceLocation: sourceLocation) }
    }

    @Test(arguments: Storage.all) func functionsRefuseWritesOfOneThread(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.putDesign("auth", ["validate_doc_update": .string(Self.owners)])
            let functions = bed.functions()
            let db = bed.database
            let first = try write(bed, functions, as: "ida") { try db["a"].put(["owner": "ida"]) }
            expectRefusal(401, "Log in.") { try write(bed, functions, as: nil) { try db["b"].put(["owner": "ida"]) } }
            expectRefusal(403, "Be its owner.") { try write(bed, functions, as: "bo") { try db["b"].put(["n": 1]) } }
            expectRefusal(403, "closed") {
                try write(bed, functions, as: "bo", security: #"{"closed":true}"#) { try db["b"].put(["owner": "bo"]) }
            }
            expectRefusal(403, "It is ida's.") {
                try write(bed, functions, as: "bo") { try db["a"].put(["owner": "bo"], parent: first.id) }
            }
            expectRefusal(403, "It is ida's.") { try write(bed, functions, as: "bo") { try db["a"].delete() } }
            expectRefusal(500, nil) {
                try write(bed, functions, as: "bo") { try db["b"].put(["owner": "bo", "bad": 1]) }
            }
            try write(bed, functions, as: "ida") { _ = try db["a"].delete() }
            // A tombstone is no revision before.
            try write(bed, functions, as: "bo") { _ = try db["a"].put(["owner": "bo"]) }
            // Neither local documents, nor design documents, nor what the app itself writes.
            try write(bed, functions, as: nil) {
                _ = try db["_local/x"].put([:])
                _ = try db["_design/x"].put([:])
            }
            try db["c"].put([:])
            #expect(try db["b"].revision() == nil)
        }
    }

    @Test(arguments: Storage.all) func oneRefusalInATransactionOrABatch(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.putDesign("auth", ["validate_doc_update": .string(Self.owners)])
            let functions = bed.functions()
            let db = bed.database
            try db.inTransaction {
                for (number, owner) in ["ida", "bo", "ida"].enumerated() {
                    let outcome = Result {
                        try write(bed, functions, as: "ida") { try db["t\(number)"].put(["owner": .string(owner)]) }
                    }
                    #expect((try? outcome.get()) == nil ? owner == "bo" : owner == "ida")
                }
            }
            #expect(try db["t0"].exists && db["t2"].exists && !db["t1"].exists)
            let revisions = try ["ida", "bo", "ida"].enumerated().map { number, owner in
                try ForeignRevision(
                    DocumentID("f\(number)"),
                    ["owner": .string(owner)],
                    history: [RevisionID("2-b"), RevisionID("1-a")]
                )
            }
            let outcomes = try write(bed, functions, as: "ida") { try db.forceInsert(revisions) }
            let refused = outcomes.map { outcome in if case .refused(let error) = outcome { error.status } else { 0 } }
            #expect(refused == [0, 403, 0])
        }
    }

    @Test func revisionsAreAsInCouchDB() throws {
        try withDatabase(.memory) { (bed) throws in
            let source = "(doc, old) => { throw {forbidden: toJSON([doc, old])} }"
            try bed.putDesign("d", ["validate_doc_update": .string(source)])
            let functions = bed.functions()
            let first = try bed.database["a"].put(["n": 1])
            let suffix = first.id.suffix
            expectRefusal(403, #"[{"_id":"b","_revisions":{"ids":[],"start":0},"n":1},null]"#) {
                try write(bed, functions, as: "ida") { try bed.database["b"].put(["n": 1]) }
            }
            expectRefusal(
                403,
                #"[{"_deleted":true,"_id":"a","_rev":"1-\#(suffix)","_revisions":{"ids":["\#(suffix)"],"start":1}},"#
                    + #"{"_id":"a","_rev":"1-\#(suffix)","n":1}]"#
            ) { try write(bed, functions, as: "ida") { try bed.database["a"].delete() } }
            expectRefusal(403, #"[{"_id":"c","_rev":"2-y","_revisions":{"ids":["y","x"],"start":2}},null]"#) {
                try write(bed, functions, as: "ida") { try bed.database.insert("c", ["2-y", "1-x"], [:]) }
            }
        }
    }

    @Test(arguments: Storage.all) func whatIsNoRevisionBeforeIsNull(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let source = "(doc, old) => { if (old) throw {forbidden: toJSON(old)} }"
            try bed.putDesign("d", ["validate_doc_update": .string(source)])
            let functions = bed.functions()
            let db = bed.database
            try db.insert("a", ["2-b", "1-a"], ["n": 1])
            // A branch without a known ancestor is a conflict.
            try write(bed, functions, as: "ida") { _ = try db.insert("a", ["3-y", "2-y", "1-y"], ["n": 2]) }
            #expect(try db["a"].conflictingRevisions().map(\.id.string) == ["3-y", "2-b"])
            expectRefusal(403, nil) {
                try write(bed, functions, as: "ida") { try db.insert("a", ["3-c", "2-b"], ["n": 3]) }
            }
            // A tombstone with members, over which a document is made elsewhere.
            try db["t"].forceInsert(json: #"{"_deleted":true,"why":"old","_rev":"1-a"}"#)
            try write(bed, functions, as: "ida") { _ = try db.insert("t", ["2-b", "1-a"], ["n": 1]) }
            #expect(try db["t"].exists)
        }
    }

    @Test func allFunctionsRunInTheOrderOfTheirDesignDocuments() throws {
        try withDatabase(.memory) { (bed) throws in
            let functions = bed.functions()
            #expect(try functions.validation(user: bytes("{}"), security: bytes("{}")) == nil)
            func source(_ name: String) -> JSONValue {
                .string("doc => { if (doc.\(name)) throw {forbidden: '\(name)'} }")
            }
            try bed.putDesign("b", ["validate_doc_update": source("b")])
            try bed.putDesign("a", ["validate_doc_update": source("a")])
            try bed.putDesign("c", ["language": "erlang", "validate_doc_update": "fun"])
            expectRefusal(403, "a") {
                try write(bed, functions, as: "ida") { try bed.database["x"].put(["a": 1, "b": 1]) }
            }
            expectRefusal(403, "b") { try write(bed, functions, as: "ida") { try bed.database["x"].put(["b": 1]) } }
            try bed.database["_design/b"].delete()
            try write(bed, functions, as: "ida") { _ = try bed.database["x"].put(["b": 1]) }
            // What is no function refuses everything.
            try bed.putDesign("a", ["validate_doc_update": 1])
            expectRefusal(500, nil) { try write(bed, functions, as: "ida") { try bed.database["y"].put([:]) } }
        }
    }

    @Test func withoutAWorkerNothingIsWritten() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.putDesign("d", ["validate_doc_update": "() => 1"])
            let functions = bed.functions(executable: "/nowhere/settee-js")
            expectError(.notImplemented) { try write(bed, functions, as: "ida") { try bed.database["a"].put([:]) } }
            #expect(try bed.database["a"].revision() == nil)
        }
    }

    @Test func anEndlessFunctionRefuses() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.putDesign("d", ["validate_doc_update": "() => { for (;;) {} }"])
            let functions = bed.functions(time: .milliseconds(100))
            expectRefusal(500, nil) { try write(bed, functions, as: "ida") { try bed.database["a"].put([:]) } }
        }
    }
}
