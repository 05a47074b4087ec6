internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

/// What clients who may only read store: checkpoints of their replications, and no more.
@Suite struct CheckpointTests {
    private var readOnly: AccessConfiguration {
        var access = AccessConfiguration()
        access.isReadOnly = true
        return access
    }

    private func document(_ bytes: Int) -> String { #"{"text":"\#(String(repeating: "x", count: bytes))"}"# }

    @Test("a read-only listener takes small local documents, and no copies")
    func small() async throws {
        try await withListener(.memory, access: readOnly) { bed in
            #expect(try await bed.send(.put, "/db/_local/a", document(60_000)).status == 201)
            #expect(try await bed.send(.put, "/db/_local/b", document(70_000)).status == 413)
            #expect(try await bed.send(.post, "/db", #"{"_id":"_local/c"}"#).status == 403)
            let destination = try #require(HTTPField.Name("Destination"))
            #expect(try await bed.send(.copy, "/db/_local/a", headers: [destination: "_local/d"]).status == 403)
            #expect(try await bed.send(.get, "/db/_local_docs").rows("rows").count == 1)
        }
        try await withListener(.memory) { bed in
            #expect(try await bed.send(.put, "/db/_local/b", document(70_000)).status == 201)
            let destination = try #require(HTTPField.Name("Destination"))
            #expect(try await bed.send(.copy, "/db/_local/b", headers: [destination: "_local/d"]).status == 201)
        }
    }

    @Test("a read-only listener keeps 10,000 of them", arguments: ListenerBed.types)
    func many(type: StorageType) async throws {
        try await withListener(type, access: readOnly) { bed in
            let database = try bed.database
            try database.inTransaction {
                for number in 0..<9_999 { _ = try database["_local/\(number)"].put([:]) }
            }
            #expect(try await bed.send(.put, "/db/_local/last", "{}").status == 201)
            #expect(try await bed.send(.put, "/db/_local/more", "{}").status == 507)
            #expect(try await bed.send(.put, "/db/_local/last", #"{"_rev":"0-1"}"#).status == 201)
        }
    }
}
