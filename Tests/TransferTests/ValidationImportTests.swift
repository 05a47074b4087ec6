import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Imports call the validation functions, and continue after a refusal.
@Suite struct ValidationImportTests {
    @Test(arguments: Storage.all) func refusedDocumentsAreCountedAsFailed(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            bed.database.setValidation("positive") { revision, context in
                guard let n = revision["n"]?.intValue, n < 0 else { return }
                context.reject(withMessage: "n is negative.", status: n == -2 ? 500 : 403)
            }
            let text = """
                {"_id":"a","n":1}
                {"_id":"b","n":-1}
                {"_id":"c","n":-2}
                {"_id":"_local/d","n":-1}
                {"_id":"e","_rev":"3-abc","n":-1}
                {"_id":"f","_rev":"3-abc","n":1}
                """
            var failures: [ImportFailure] = []
            let rest = Locked<[UInt8]?>(Array(text.utf8))
            let outcome = try BulkImporter(into: bed.database, options: ImportOptions()).run {
                rest.withLock { $0.take() }
            } failure: { failure in
                failures.append(failure)
            } committed: { _, _ in
            }
            #expect(outcome.documents == 3)
            #expect(outcome.failed == 3)
            #expect(failures.map(\.id) == ["b", "c", "e"])
            #expect(failures.map(\.error.status) == [403, 500, 403])
            #expect(outcome.interruption == nil)
            #expect(try bed.database.allDocuments().ids() == ["a", "f"])
            #expect(try bed.database["_local/d"].exists)
        }
    }
}
