package import SetteeJavaScript

/// A function of a design document that decides which documents a feed of changes has.
package struct DesignFilter: Sendable {
    enum Kind: Sendable {
        case filter
        /// A map function: documents that have rows.
        case map
    }

    let kind: Kind
    let function: JavaScriptFunction
    let pool: JavaScriptPool

    /// Runs the function over documents. Blocks.
    ///
    /// - Parameters:
    ///   - documents: JSON texts with `_id`, `_rev` and what else the function is to see.
    ///   - request: a JSON object, the function's second argument.
    /// - Returns: for each document whether the function accepts it, or why it says nothing.
    /// - Throws: `JavaScriptError`: `unavailable`, `compilation`.
    package func accepts(
        _ documents: [[UInt8]],
        request: [UInt8]
    ) throws -> [Result<Bool, JavaScriptError>] {
        if documents.isEmpty { return [] }
        return try pool.withWorker { worker throws(JavaScriptError) in
            switch kind {
            case .filter: try worker.filter(function, documents, request: request)
            case .map: try worker.map([function], documents)[0].map { outcome in outcome.map { !$0.isEmpty } }
            }
        }
    }
}
