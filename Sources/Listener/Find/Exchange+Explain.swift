internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeQueries
internal import StorageProtocol

/// POST of `_explain`.
extension Exchange {
    func explain(in served: ServedDatabase) async throws -> Answer {
        let request = try FindRequest(try await jsonObject())
        let answer = try await blocking { try FindAnalysis(request, of: served.database).json(served.name) }
        return .json { $0.value(.object(answer)) }
    }
}
