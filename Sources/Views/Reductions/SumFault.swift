internal import SetteeDocumentValues
internal import StorageProtocol

/// Why there is no sum, as CouchDB answers it in the place of the sum.
///
/// Facts: CouchDB 3, `builtin_sum_rows` in src/couch/src/couch_query_servers.erl.
struct SumFault {
    let value: JSONValue

    /// - Parameter cause: what could not be added.
    init(_ error: StorageError, by cause: JSONValue) {
        value = ["error": "builtin_reduce_error", "reason": .string(error.message), "caused_by": cause]
    }
}
