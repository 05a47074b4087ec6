internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Runs `body` with a listener over the documents `p00` to `p29`: `n` from 0 to 29, `team` "a" to "c", and `age` where
/// `n` is even.
func withPeople(_ type: StorageType, _ body: (ListenerBed) async throws -> Void) async throws {
    try await withListener(type) { bed in
        let database = try bed.database
        try database.inTransaction {
            for number in 0..<30 {
                var person: JSONObject = [
                    "n": JSONValue(number), "team": .string(["a", "b", "c"][number % 3]),
                    "at": ["x": JSONValue(-number)],
                ]
                if number % 2 == 0 { person["age"] = JSONValue(20 + number / 10) }
                try database[number < 10 ? "p0\(number)" : "p\(number)"].put(person)
            }
        }
        try await body(bed)
    }
}

extension ListenerBed {
    /// The answer to `_find`.
    func find(_ json: String) async throws -> JSONObject {
        let reply = try await send(.post, "/db/_find", json)
        #expect(reply.status == 200, "\(json) \(reply.text)")
        return try reply.object()
    }

    /// What `_find` answers has as IDs, or as another member.
    func found(_ json: String, _ member: String = "_id") async throws -> [JSONValue] {
        try await find(json)["docs"]?.arrayValue?.map { $0[member] ?? .null } ?? []
    }

    /// Creates an index.
    func index(_ fields: String, _ more: String = "") async throws {
        let reply = try await send(.post, "/db/_index", #"{"index":{"fields":\#(fields)}\#(more)}"#)
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// Checks how a request is refused.
    func expectRefusal(_ path: String, _ json: String, _ status: Int, _ error: String) async throws {
        let reply = try await send(.post, "/db/" + path, json)
        #expect(reply.status == status, "\(json) \(reply.text)")
        #expect(try reply.object()["error"]?.stringValue == error, "\(json) \(reply.text)")
    }
}
