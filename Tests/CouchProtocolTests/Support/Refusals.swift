internal import SetteeCouchProtocol

/// The error that a call throws, nil if it throws none.
func refusal(_ body: () throws(CouchError) -> Void) -> CouchError? {
    do throws(CouchError) {
        try body()
        return nil
    } catch {
        return error
    }
}

/// The reason of an error about an option, and of nothing else.
func queryReason(_ body: () throws(CouchError) -> Void) -> String? {
    guard let error = refusal(body), error.status == 400, error.error == "query_parse_error" else { return nil }
    return error.reason
}
