internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import SetteeQueries
internal import StorageProtocol

/// POST of `_explain`.
extension Exchange {
    func explain(in served: ServedDatabase) async throws -> Answer {
        let json = try await jsonObject()
        let cancellation = Cancellation()
        body.watch(body.makeWatcher()) { cancellation.cancel() }
        let request = try FindRequest(json, cancellation)
        let answer = try await blocking { try FindAnalysis(request, of: served.database).json(served.name) }
        return .json { $0.value(.object(answer)) }
    }
}
