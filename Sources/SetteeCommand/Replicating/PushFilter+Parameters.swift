#if Sync
internal import Settee
internal import SetteeReplicator

extension PushFilter {
    /// A function with parameters, which are a part of its version: with others a replication begins anew.
    static func function(
        version: String,
        _ function: @escaping Filter,
        with parameters: JSONObject
    ) throws(StorageError) -> PushFilter {
        let text = String(decoding: try JSONValue.object(parameters).canonicalBytes(), as: UTF8.self)
        return .function(version: "\(version) \(text)") { revision, _ in try function(revision, parameters) }
    }
}
#endif
