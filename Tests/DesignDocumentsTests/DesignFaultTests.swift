internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

/// Functions that fail cost their documents' rows, and nothing else.
@Suite struct DesignFaultTests {
    static let bad = [
        "throw new Error('no')", "for (;;) {}", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
        "emit(function () { let a = []; for (let i = 0; i < 600; i++) a = [a]; return a }())",
    ]

    @Test(arguments: bad) func otherDocumentsKeepTheirRows(_ bad: String) throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database.put((0..<250).map { ("\($0)", ["n": .int(Int64($0))]) })
            try bed.putView("doc => { emit(doc.n, 1); if (doc.n % 100 === 13) { \(bad) } }")
            let functions = bed.functions(time: .milliseconds(200), memory: 100 << 20)
            let view = try functions.view("v", of: "d")
            let expected = (0..<250).filter { $0 % 100 != 13 }.map { JSONValue.int(Int64($0)) }
            #expect(try view.query().keyList() == expected)
            #expect(try view.status()?.failedDocuments == 3)
            // The update is done: it is not tried again.
            #expect(try view.status()?.isStale == false)
            // The check at the end would run the function again.
            try view.delete()
        }
    }

    /// Then the function is at fault, and an index without their rows would be wrong.
    @Test(arguments: ["for (;;) {}", bad[3]]) func manyFaultsEndTheUpdate(_ bad: String) throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database.put((0..<50).map { ("\($0)", ["n": .int(Int64($0))]) })
            try bed.putView("doc => { if (doc.n % 2) { \(bad) } emit(doc.n) }")
            let functions = bed.functions(time: .milliseconds(50))
            let view = try functions.view("v", of: "d")
            expectError(.unexpected) { try view.query().run() }
            #expect(try view.status()?.isStale == true)
            try bed.putView("doc => emit(doc.n)")
            #expect(try functions.view("v", of: "d").query().run().count == 50)
        }
    }

    @Test(arguments: Storage.all) func aRowThatCannotBeStoredIsLeftOut(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put([:])
            try bed.putView("doc => { emit('x'.repeat(1 << 21)); emit(undefined); emit(NaN); emit(1 / 3, Infinity) }")
            let view = try bed.functions().view("v", of: "d")
            #expect(try view.query().run().map(\.line) == ["null null a", "null null a", "\(1.0 / 3) null a"])
            #expect(try view.status()?.refusedRows == 1)
        }
    }

    @Test func withoutAWorkerEverythingElseGoesOn() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database["a"].put([:])
            try bed.putView("doc => emit(doc._id)")
            let functions = bed.functions(executable: "/nowhere/settee-js")
            let error = #expect(throws: DesignError.self) { try functions.view("v", of: "d") }
            #expect(error?.status == 501)
            let reason = try #require(error?.errorDescription)
            let isNamed = reason.contains("settee-js")
            #expect(isNamed)
            #expect(try functions.viewNames() == ["d/v"])
            #expect(try functions.info(of: "d")["language"] == "javascript")
            try functions.cleanUp()
            try bed.database["b"].put([:])
        }
    }

    /// No index without the rows of the documents that were not mapped.
    @Test(arguments: Storage.all) func aWorkerThatIsGoneEndsTheUpdate(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.put((0..<700).map { ("\($0)", [:]) })
            try bed.putView("doc => emit(doc._id)")
            let pool = JavaScriptPool()
            let view = try DesignDocuments(bed.database, pool: pool).view("v", of: "d")
            #expect(try view.query().run().count == 700)
            try bed.database["one more"].put([:])
            pool.close()
            expectError(.notImplemented) { try view.query().run() }
            #expect(try view.query(update: .never).run().count == 700)
            // Another one has a pool of its own.
            #expect(try bed.functions().view("v", of: "d").query().run().count == 701)
        }
    }
}
