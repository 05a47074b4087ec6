internal import HTTPTypes
internal import NIOCore
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// An answer with its body, as a client would have read it.
struct Reply {
    var status: Int
    var headers: HTTPFields
    var body: [UInt8]

    /// The body as JSON.
    func json() throws -> JSONValue { try JSONValue(parsing: body) }

    /// The body as a JSON object.
    func object() throws -> JSONObject { try #require(try json().objectValue) }

    /// The objects in an array that is a member of the body.
    func rows(_ member: String) throws -> [JSONObject] {
        let rows = try object()[member]?.arrayValue ?? []
        return rows.map { $0.objectValue ?? JSONObject() }
    }

    /// The objects in an array that is the body.
    func rows() throws -> [JSONObject] { (try json().arrayValue ?? []).map { $0.objectValue ?? JSONObject() } }

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension Answer {
    /// Reads the body to its end.
    func collected() async throws -> Reply {
        var reply = Reply(status: status.code, headers: headers, body: [])
        switch body {
        case .none: break
        case .bytes(let buffer): reply.body = Array(buffer.readableBytesView)
        case .stream(let length, let write):
            let sink = CollectingSink()
            try await write(sink)
            reply.body = sink.bytes
            if let length { #expect(length == reply.body.count) }
        }
        return reply
    }
}
