internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// The options of a query as it is sent, and of a JSON body.
func options(_ query: String, body: JSONObject = JSONObject()) throws(CouchError) -> RequestOptions {
    RequestOptions(query: try RequestTarget("/?\(query)").query, body: body)
}
