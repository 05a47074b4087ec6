internal import HTTPTypes
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Requests that succeed, for each operation of docs/openapi.yaml. Each is about documents of its own, so that it
/// succeeds again.
final class SampleRequests: Sendable {
    let bed: ListenerBed
    private let number = Locked(0)

    init(_ bed: ListenerBed) { self.bed = bed }

    private func unusedName() -> String {
        number.withLock {
            $0 += 1
            return "n\($0)"
        }
    }

    /// Sends a request for an operation.
    ///
    /// - Parameter query: Of the request, with its question mark.
    func send(_ operation: OpenAPIFile.Operation, query: String = "") async throws -> Reply {
        let name = unusedName()
        var headers: HTTPFields = [:]
        var path = operation.path == "/" ? "/" : Route.sample(operation.path, document: name)
        switch (operation.path, operation.method) {
        case ("/{db}", "PUT"): path = "/" + name
        case ("/{db}", "DELETE"):
            path = "/" + name
            try await bed.send(.put, path)
        case ("/{db}/_index/_design/{ddoc}/json/{name}", _):
            try await bed.send(.post, "/db/_index", #"{"index":{"fields":["a"]},"ddoc":"\#(name)","name":"f"}"#)
        case (_, "PUT") where operation.path.hasSuffix("}"): break
        case (_, _) where operation.path.hasSuffix("{attname}"):
            let revision = try await bed.send(.put, path, "text").object()["rev"]?.stringValue
            if operation.method == "DELETE" { headers[.ifMatch] = revision }
        case ("/{db}/_compact/{ddoc}", _): try await bed.send(.put, "/db/_design/" + name, "{}")
        case (_, _) where operation.path.contains("/_view/") || operation.path.hasSuffix("_info"):
            let document = "/db/_design/" + name
            try await bed.send(.put, document, #"{"views":{"v":{"map":"function(doc){emit(doc._id,1)}"}}}"#)
        case (_, _) where operation.path.hasSuffix("id}") || operation.path.hasSuffix("{ddoc}"):
            let revision = try await bed.send(.put, path, "{}").object()["rev"]?.stringValue
            if operation.method == "DELETE" { headers[.ifMatch] = revision }
        default: break
        }
        if operation.method == "COPY" { headers[HTTPField.Name("Destination")!] = unusedName() }
        let method = try #require(HTTPRequest.Method(operation.method))
        return try await bed.send(method, path + query, body(operation), headers: headers)
    }

    private func body(_ operation: OpenAPIFile.Operation) -> String? {
        guard ["POST", "PUT"].contains(operation.method) else { return nil }
        switch operation.path.split(separator: "/").last {
        case "_dbs_info": return #"{"keys":["db"]}"#
        case "queries": return #"{"queries":[{}]}"#
        case "_bulk_docs", "_bulk_get": return #"{"docs":[]}"#
        case "_revs_limit": return "1000"
        case "_temp_view": return #"{"map":"function(doc){emit(doc._id,1)}"}"#
        case "_find", "_explain": return #"{"selector":{}}"#
        case "_index": return #"{"index":{"fields":["a"]}}"#
        case "_bulk_delete": return #"{"docids":[]}"#
        case "_session": return #"{"name":"ida","password":"wrong"}"#
        default: return "{}"
        }
    }
}
