internal import Foundation
internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeTestSupport
internal import SetteeTransfer
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Random requests to a database of each engine have the answers that calls of a memory database give, and leave the
/// same content.
@Suite struct RandomRequestTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    @Test(arguments: ListenerBed.types) func answersAreThoseOfCalls(_ type: StorageType) async throws {
        let seed: UInt64 = RandomRequestTests.isLong ? .random(in: 0 ... .max) : 18
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        let model = RequestModel(database: try manager.database(named: "model"))
        try await withListener(type) { bed in
            var maker = RequestMaker(seed: seed)
            for number in 0..<(RandomRequestTests.isLong ? 100_000 : 2_000) {
                let request = try maker.next()
                let wanted = try model.answer(request)
                let reply = try await bed.send(request)
                let isRight = try reply.compared(with: wanted, for: request)
                #expect(
                    isRight,
                    "seed \(seed), request \(number): \(request)\n\(wanted)\n\(reply.status) \(reply.text)"
                )
                guard isRight else { break }
                try maker.learn(request, wanted)
            }
            let database = try bed.database
            #expect(try database.contentDigest() == model.database.contentDigest(), "seed \(seed)")
        }
        try manager.close()
    }
}

extension ListenerBed {
    fileprivate func send(_ request: ClientRequest) async throws -> Reply {
        let message = request.message
        var head = HTTPRequest(
            method: message.method,
            scheme: "http",
            authority: "127.0.0.1:5984",
            path: message.path
        )
        head.headerFields[.contentType] = message.type
        head.headerFields[.accept] = "application/json"
        return try await core.respond(ListenerRequest(head: head), BodyReader(bytes: message.body)).collected()
    }
}

extension Reply {
    /// Whether this is the answer, as far as it is known.
    fileprivate func compared(with wanted: RequestModel.Answer, for request: ClientRequest) throws -> Bool {
        guard status == wanted.status else { return false }
        if let bytes = wanted.bytes { return bytes == body }
        guard let json = wanted.json else { return true }
        let answer: JSONValue?
        switch request {
        case .list: answer = try object()["rows"]
        case .changes: answer = try object()["results"]
        default: answer = try self.json()
        }
        return answer?.comparable == json.comparable
    }
}

extension JSONValue {
    /// Without digests, which are SHA-1 in databases and MD5 in answers.
    fileprivate var comparable: JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map(\.comparable))
        case .object(var object):
            object["digest"] = nil
            return .object(JSONObject(object.map { ($0.key, $0.value.comparable) }))
        default: return self
        }
    }
}
