internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@Suite struct DesignHousekeepingTests {
    @Test(arguments: Storage.all) func cleaningUpRemovesWhatNoDesignDocumentHas(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put([:])
            let map: JSONValue = ["map": "doc => emit(doc._id)"]
            try bed.putDesign("d", ["views": ["v": map, "w": map]])
            try bed.putDesign("e", ["views": ["v": map]])
            try bed.view("app").setMap(version: "1") { _, emit in emit(1) }
            let functions = bed.functions()
            for name in try functions.viewNames() { try functions.view(named: name)?.updateIndex() }
            try bed.view("app").updateIndex()
            try functions.cleanUp()
            #expect(try bed.database.viewNames() == ["app", "d/v", "d/w", "e/v"])
            try bed.putDesign("d", ["views": ["v": map]])
            try bed.database["_design/e"].delete()
            // Other programs may still read what is there.
            #expect(try bed.database.viewNames() == ["app", "d/v", "d/w", "e/v"])
            try functions.cleanUp()
            #expect(try bed.database.viewNames() == ["app", "d/v"])
            try bed.putDesign("e", ["views": ["v": map]])
            #expect(try functions.view("v", of: "e").query().keyList() == ["a"])
        }
    }

    @Test func informationFollowsTheDesignDocument() throws {
        try withDatabase(.memory) { (bed) throws in
            let functions = bed.functions()
            expectDesignError(.missing("missing")) { try functions.info(of: "d") }
            try bed.putView("doc => emit(1)")
            let first = try functions.info(of: "d")
            let signature = try #require(first["signature"]?.stringValue)
            #expect(signature.utf8.count == 32 && signature.allSatisfy(\.isHexDigit))
            #expect(first["update_seq"] == 0 && first["updater_running"] == false)
            try functions.view("v", of: "d").updateIndex()
            #expect(try functions.info(of: "d")["update_seq"] == 1)
            #expect(try functions.info(of: "d")["signature"] == .string(signature))
            try bed.putView("doc => emit(2)")
            #expect(try functions.info(of: "d")["signature"] != .string(signature))
        }
    }

    @Test(arguments: Storage.all) func temporaryViewsLeaveNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.put((0..<10).map { ("\($0)", ["n": .int(Int64($0))]) })
            let functions = bed.functions()
            let view = try functions.temporaryView(["map": "doc => emit(doc.n, doc.n)", "reduce": "_sum"])
            #expect(try view.query().run().map(\.value) == [45])
            // It is in use.
            try functions.cleanUp()
            #expect(try view.status() != nil)
            try functions.removeTemporaryView(view)
            #expect(try bed.database.viewNames() == [])
            #expect(throws: DesignError.self) { try functions.temporaryView([:]) }
            #expect(throws: DesignError.self) { try functions.temporaryView(["map": "doc =>"]) }
            expectDesignError(.unsupportedLanguage("erlang")) {
                try functions.temporaryView(["map": "fun", "language": "erlang"])
            }
            #expect(try bed.database.viewNames() == [])
        }
    }

    @Test(arguments: Storage.persistent) func temporaryViewsOfAProcessThatIsGone(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.functions().temporaryView(["map": "doc => emit(1)"]).updateIndex()
            try bed.reopen()
            #expect(try bed.database.viewNames().count == 1)
            try bed.functions().cleanUp()
            #expect(try bed.database.viewNames() == [])
        }
    }
}
