internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Views that the app has set, over the documents `a` to `e`: `d/byNumber`, `d/sums` with a reduce function, and
/// `d/linked`, whose values name other documents, and `d/shown`, whose values are the member `show`.
func withViews(
    _ type: StorageType,
    options: ListenerOptions = ListenerOptions(),
    _ body: (ListenerBed) async throws -> Void
) async throws {
    try await withListener(type, options: options) { bed in
        let database = try bed.database
        try database.view("d/byNumber").setMap(version: "1") { document, emit in
            if let number = document["n"] { emit(number, document["tag"]) }
        }
        try database.view("d/sums").setMap(version: "1", reduce: .sum) { document, emit in
            guard let number = document["n"] else { return }
            emit([document["tag"] ?? .null, number], number)
            emit(document["tag"] ?? .null, number)
        }
        try database.view("d/linked").setMap(version: "1") { document, emit in
            guard let to = document["to"] else { return }
            emit(document["n"] ?? .null, .object(["_id": to, "_rev": document["at"]]))
        }
        try database.view("d/shown").setMap(version: "1") { document, emit in
            if let value = document["show"] { emit(document["k"] ?? .null, value) }
        }
        for (number, id) in ["a", "b", "c", "d", "e"].enumerated() {
            try await bed.put(id, #"{"n":\#(number % 4),"tag":"\#(number % 2 == 0 ? "x" : "y")"}"#)
        }
        try await body(bed)
    }
}

extension ListenerBed {
    /// The IDs of the rows of a view.
    func ids(_ view: String, _ query: String = "", _ json: String? = nil) async throws -> [String] {
        let reply = try await send(json == nil ? .get : .post, "/db/_design/d/_view/\(view)?\(query)", json)
        #expect(reply.status == 200, "\(query) \(reply.text)")
        return try reply.rows("rows").map { $0["id"]?.stringValue ?? "" }
    }

    /// The rows of a view as `key: value`.
    func pairs(_ view: String, _ query: String = "", _ json: String? = nil) async throws -> [String] {
        let reply = try await send(json == nil ? .get : .post, "/db/_design/d/_view/\(view)?\(query)", json)
        #expect(reply.status == 200, "\(query) \(reply.text)")
        return try reply.rows("rows").map { "\($0["key"] ?? .null): \($0["value"] ?? .null)" }
    }

    /// Checks how a view refuses options.
    func expectRefusal(_ view: String, _ query: String, _ reason: String, _ json: String? = nil) async throws {
        let reply = try await send(json == nil ? .get : .post, "/db/_design/d/_view/\(view)?\(query)", json)
        #expect(reply.status == 400, "\(query) \(reply.text)")
        #expect(reply.text.contains(#""error":"query_parse_error""#), "\(query) \(reply.text)")
        #expect(try reply.object()["reason"]?.stringValue == reason, "\(query)")
    }
}
