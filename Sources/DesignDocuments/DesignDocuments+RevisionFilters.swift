internal import SetteeDocumentValues
package import SetteeEngine
internal import SetteeJavaScript
internal import StorageProtocol

extension DesignDocuments {
    /// Returns the filter `filters.NAME` of a design document as one of the engine's kind, for replications. It stays
    /// as it is when the design document changes. The function's second argument has the parameters as `query`.
    ///
    /// - Returns: The filter, and a version that is that of its source.
    /// - Throws: any `DesignError`; `StorageError`.
    package func revisionFilter(_ name: String, of design: String) throws -> (version: String, filter: Filter) {
        let filter = try filter(name, of: design)
        let version = try DesignHash.text([.string(filter.function.source)])
        let accepts: Filter = { revision, parameters in
            let document = try JSONValue.object(revision.annotatedProperties).canonicalBytes()
            let request = try JSONValue.object(["query": .object(parameters)]).canonicalBytes()
            return try filter.accepts([document], request: request).allSatisfy { try $0.get() }
        }
        return (version, accepts)
    }
}
