import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Functions that judge revisions before they are stored.
@Suite struct ValidationTests {
    /// Expects a refusal with a status, whose message holds `text`.
    private func expectRefusal<R>(
        _ status: Int = 403,
        _ text: String = "",
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> R
    ) {
        do {
            _ = try body()
            Issue.record("Nothing was thrown.", sourceLocation: sourceLocation)
        } catch let error as StorageError {
            #expect(error.code == .rejected, sourceLocation: sourceLocation)
            #expect(error.status == status, sourceLocation: sourceLocation)
            #expect(error.message.contains(text), sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: Storage.all) func aRejectedRevisionIsNotStored(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            db.setValidation("amounts") { revision, context in
                guard !revision.isDeleted, revision["amount"]?.doubleValue == nil else { return }
                context.reject(withMessage: "An amount is needed.")
            }
            expectRefusal(403, "'amounts' refused the revision: An amount is needed.") { try db["x"].put([:]) }
            #expect(try db.lastSequence == 0)
            let saved = try db["x"].put(["amount": 1])
            expectRefusal { try db["x"].put(["amount": "much"], parent: saved.id) }
            expectRefusal { try db["x"].update { $0["amount"] = nil } }
            #expect(try db["x"].read().id == saved.id)
            try db["x"].delete()
            #expect(try db.documentCount == 0)
        }
    }

    @Test(arguments: Storage.all) func allFormsOfRejecting(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            db.setValidation("a") { revision, context in
                switch revision["how"]?.stringValue {
                case "plain": context.reject()
                case "status": context.reject(status: 401)
                case "both": context.reject(withMessage: "Not you.", status: 401)
                case "server": context.reject(status: 503)
                case "odd": context.reject(status: 200)
                case "error": throw ApplicationError(number: 3)
                case "storage": throw StorageError(.badParameter, "As it is.")
                default: break
                }
            }
            expectRefusal(403, "'a'") { try db["x"].put(["how": "plain"]) }
            expectRefusal(401, "'a'") { try db["x"].put(["how": "status"]) }
            expectRefusal(401, "Not you.") { try db["x"].put(["how": "both"]) }
            expectRefusal(503) { try db["x"].put(["how": "server"]) }
            expectRefusal(403) { try db["x"].put(["how": "odd"]) }
            expectError(.badParameter) { try db["x"].put(["how": "storage"]) }
            do throws(StorageError) {
                _ = try db["x"].put(["how": "error"])
                Issue.record("Nothing was thrown.")
            } catch {
                #expect(error.status == 403)
                #expect(error.cause as? ApplicationError == ApplicationError(number: 3))
            }
            // A refusal, whatever its status, is not a failure of the store.
            try db.inTransaction {
                for how in ["plain", "server", "error"] {
                    #expect(throws: StorageError.self) { try db["x"].put(["how": .string(how)]) }
                }
                try db["y"].put([:])
            }
            #expect(try db.allDocuments().ids() == ["y"])
        }
    }

    @Test(arguments: Storage.all) func functionsRunInTheOrderOfTheirNames(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            let order = Locked<[String]>([])
            for name in ["b", "a", "Z", "é", "e\u{301}"] {
                db.setValidation(name) { revision, context in
                    order.withLock { $0.append(name) }
                    if revision["stop"]?.stringValue == name { context.reject() }
                }
            }
            let names = ["Z", "a", "b", "e\u{301}", "é"]
            #expect(db.validationNames.map(bytes) == names.map(bytes))
            try db["x"].put([:])
            #expect(order.withLock { $0 }.map(bytes) == names.map(bytes))
            order.withLock { $0 = [] }
            expectRefusal(403, "'a'") { try db["y"].put(["stop": "a"]) }
            #expect(order.withLock { $0 } == ["Z", "a"])
            #expect(db.validation(named: "a") != nil)
            for name in names { db.setValidation(name, nil) }
            #expect(db.validation(named: "a") == nil)
            #expect(db.validationNames.isEmpty)
            try db["y"].put(["stop": "a"])
            // In place of an earlier one.
            db.setValidation("a") { _, context in context.reject() }
            db.setValidation("a") { _, _ in }
            #expect(db.validationNames == ["a"])
            try db["z"].put([:])
        }
    }

    @Test(arguments: Storage.all) func theRevisionTellsAll(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            let seen = Locked<[String]>([])
            let revisions = Locked<[ProposedRevision]>([])
            db.setValidation("see") { revision, context in
                let current = try context.currentRevision
                let changed = try context.changedKeys.joined(separator: ",")
                seen.withLock { $0.append("\(revision.properties) \(current?.id.string ?? "-") \(changed)") }
                revisions.withLock { $0.append(revision) }
            }
            let first = try db["x"].put(["a": 1, "b": 2])
            let second = try db["x"].put(["a": 1, "b": 3, "c": nil], parent: first.id)
            let third = try db["x"].delete()
            let last = try db["x"].put(["z": 0])
            #expect(
                seen.withLock { $0 } == [
                    #"{"_id":"x","_rev":"\#(first.id)","a":1,"b":2} - a,b"#,
                    #"{"_id":"x","_rev":"\#(second.id)","a":1,"b":3,"c":null} \#(first.id) b,c"#,
                    #"{"_deleted":true,"_id":"x","_rev":"\#(third.id)"} \#(second.id) _deleted,a,b,c"#,
                    #"{"_id":"x","_rev":"\#(last.id)","z":0} \#(third.id) _deleted,z"#,
                ]
            )
            let tombstone = revisions.withLock { $0[2] }
            #expect(tombstone.isDeleted && !tombstone.isForeign && tombstone.parentID == second.id)
            #expect(tombstone.documentID.string == "x" && tombstone.id == third.id)
        }
    }

    @Test(arguments: Storage.all) func changesAreEnumerated(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            let seen = Locked<[String]>([])
            db.setValidation("immutable") { _, context in
                guard try context.currentRevision != nil else { return }
                try context.enumerateChanges { key, old, new in
                    seen.withLock { $0.append("\(key) \(old?.description ?? "-") \(new?.description ?? "-")") }
                    return key != "amount" || old == nil
                }
            }
            let first = try db["x"].put(["amount": 5, "note": "a", "gone": true])
            expectRefusal(403, "'amount'") { try db["x"].put(["amount": 6, "note": "b"], parent: first.id) }
            #expect(seen.withLock { $0 } == ["amount 5 6"])
            seen.withLock { $0 = [] }
            try db["x"].put(["amount": 5.0, "note": "b", "new": [1]], parent: first.id)
            #expect(seen.withLock { $0 } == ["gone true -", "new - [1]", #"note "a" "b""#])
        }
    }

    @Test(arguments: Storage.all) func deletionCanBeForbidden(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            db.setValidation("completed") { revision, context in
                guard revision.isDeleted, let current = try context.currentRevision else { return }
                if current["status"]?.stringValue != "completed" { context.reject(withMessage: "Complete it first.") }
            }
            let saved = try db["x"].put(["status": "open"])
            expectRefusal(403, "Complete it first.") { try db["x"].delete() }
            expectRefusal { try db["x"].update { $0["_deleted"] = true } }
            expectRefusal {
                try db.forceInsert(
                    DocumentID("x"),
                    history: [RevisionID("2-abc"), saved.id],
                    json: bytes("{}"),
                    isDeleted: true
                )
            }
            // One without known ancestors is compared with nothing.
            #expect(
                try db.forceInsert(DocumentID("x"), history: [RevisionID("9-f")], json: bytes("{}"), isDeleted: true)
            )
            try db["x"].update { $0["status"] = "completed" }
            try db["x"].delete()
        }
    }

    @Test(arguments: Storage.all) func foreignRevisionsAreJudgedToo(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            let seen = Locked<[String]>([])
            db.setValidation("see") { revision, context in
                let current = try context.currentRevision
                seen.withLock { $0.append("\(revision.id) \(revision.isForeign) \(current?.id.string ?? "-")") }
                if revision["bad"] != nil { context.reject() }
            }
            let id = DocumentID("x")
            func insert(_ history: [String], _ json: String = "{}") throws -> Bool {
                try db.forceInsert(id, history: history.map { try RevisionID($0) }, json: bytes(json), isDeleted: false)
            }
            #expect(try insert(["2-b", "1-a"]))
            // Its parent is not here, but its grandparent is.
            #expect(try insert(["4-d", "3-c", "2-b"]))
            // A conflict on the first line; the body of the parent never came.
            #expect(try insert(["3-x", "2-x", "1-a"]))
            #expect(try !insert(["3-x", "2-x", "1-a"]))
            expectRefusal { try insert(["5-bad", "4-d"], #"{"bad":1}"#) }
            #expect(seen.withLock { $0 } == ["2-b true -", "4-d true 2-b", "3-x true 4-d", "5-bad true 4-d"])
            #expect(try db["x"].read().id == RevisionID("4-d"))
        }
    }

    @Test(arguments: Storage.all) func theDatabaseCannotBeCalledFromInside(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            let codes = Locked<[StorageError.Code]>([])
            let kept = Locked<ValidationContextBox?>(nil)
            db.setValidation("reentrant") { _, context in
                for call: () throws -> Void in [
                    { _ = try db["x"].exists }, { try db["y"].put([:]) }, { _ = try db.documentCount },
                    { try db.inTransaction {} }, { try db.read { _ in } }, { try db.close() },
                ] {
                    do { try call() } catch let error as StorageError { codes.withLock { $0.append(error.code) } }
                }
                kept.withLock { $0 = ValidationContextBox(context) }
            }
            try db["x"].put([:])
            #expect(codes.withLock { $0 } == Array(repeating: .callback, count: 6))
            let context = try #require(kept.withLock { $0 }).context
            expectError(.callback) { try context.currentRevision }
            context.reject()
            #expect(try db["x"].exists)
        }
    }

    @Test(arguments: Storage.all) func localDocumentsAndPurgesAreNotJudged(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            try db["x"].put([:])
            db.setValidation("no") { _, context in context.reject() }
            try db["_local/a"].put(["n": 1])
            try db["x"].purge()
            // A conflict comes before the validation.
            db.setValidation("no", nil)
            try db["y"].put([:])
            db.setValidation("no") { _, context in context.reject() }
            expectError(.conflict) { try db["y"].put(["n": 1]) }
            try bed.reopen()
            #expect(bed.isPersistent ? bed.database.validationNames.isEmpty : bed.database.validationNames == ["no"])
        }
    }

    @Test(arguments: Storage.all) func aSchemaJudges(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            let schema = try JSONSchema([
                "type": [
                    ["required": ["title"], "properties": ["title": ["type": "string"], "_deleted": ["not": [:]]]],
                    ["required": ["_deleted"], "properties": ["_deleted": ["enum": [true]]]],
                ]
            ])
            db.setValidation("schema", schema: schema)
            try db["x"].put(["title": "Little, Big"])
            expectRefusal(403, "/title: must be of type string") { try db["y"].put(["title": 1]) }
            expectRefusal(403, "lacks the member 'title'") { try db["y"].put([:]) }
            try db["x"].delete()
            db.setValidation("schema", nil)
            try db["y"].put([:])
        }
    }

    /// What is stored agrees with what the functions accepted, even if they change while many threads write.
    @Test(arguments: Storage.all) func functionsMayChangeWhileOthersWrite(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let db = bed.database
            db.setValidation("even") { revision, context in
                if revision["n"]?.intValue.map({ $0 % 2 == 1 }) ?? true { context.reject() }
            }
            let saved = Locked(0)
            try onThreads(4) { thread in
                for n in 0..<50 {
                    db.setValidation("other \(thread)") { _, _ in }
                    do throws(StorageError) {
                        try db["\(thread)-\(n)"].put(["n": .int(Int64(n))])
                        saved.withLock { $0 += 1 }
                    } catch {
                        guard error.code == .rejected else { throw error }
                    }
                    db.setValidation("other \(thread)", nil)
                }
            }
            #expect(saved.withLock { $0 } == 100)
            #expect(try db.documentCount == 100)
        }
    }
}

/// Carries a context out of its closure, which nobody should do.
private final class ValidationContextBox: @unchecked Sendable {
    let context: ValidationContext
    init(_ context: ValidationContext) { self.context = context }
}
