internal import StorageProtocol

/// A child process that runs functions of design documents.
///
/// It begins at the first call and again after every loss. Calls block until the child has answered; one thread at a
/// time is served, the others wait. Numbers are JavaScript's: integers beyond 2^53 lose precision.
package final class JavaScriptWorker: Sendable {
    let session: Locked<WorkerSession>

    package init(_ configuration: JavaScriptConfiguration = JavaScriptConfiguration()) {
        session = Locked(WorkerSession(configuration))
    }

    /// The child's process ID, if it has begun.
    package var childIdentifier: Int32? { session.withLock { $0.identifier } }

    /// Compiles a function, to find out whether that works.
    ///
    /// - Throws: `compilation`, `timeLimit`, `memoryLimit`, `crashed` or `unavailable`.
    package func check(_ function: JavaScriptFunction) throws(JavaScriptError) {
        try session.withLock { session throws(JavaScriptError) in
            do throws(CallFault) {
                try session.prepare([function])
            } catch {
                throw error.error
            }
        }
    }

    /// Runs map functions over documents. A document is sent once for all functions, and each function gets its own
    /// copy, so that none sees what another has changed.
    ///
    /// - Parameters:
    ///   - documents: canonical JSON.
    /// - Returns: for each function, for each document, the rows in the order in which they were emitted, or why there
    ///   are none: `thrown`, `timeLimit`, `memoryLimit`, `outputLimit`, `inputLimit` or `crashed`.
    /// - Throws: `compilation` or `unavailable`, if no document can be mapped.
    /// - Complexity: a document at fault costs about 2 log n further calls, and as many children where it ends them.
    package func map(
        _ functions: [JavaScriptFunction],
        _ documents: [[UInt8]]
    ) throws(JavaScriptError) -> [[Result<[JavaScriptRow], JavaScriptError>]] {
        var run = BatchRun(.map, functions, documents) { parser, node in
            parser.rows(node).map { .success($0) }
        }
        return try session.withLock { session throws(JavaScriptError) in try run.run(&session) }
    }

    /// Runs a map function over documents until it has met a limit for one of them.
    ///
    /// - Parameter documents: canonical JSON.
    /// - Returns: for each document its rows, or why there are none; nil where it was not tried.
    /// - Throws: as above; and where more than eight documents are at fault, the last one's error.
    package func mapUntilLimit(
        _ function: JavaScriptFunction,
        _ documents: [[UInt8]]
    ) throws(JavaScriptError) -> [Result<[JavaScriptRow], JavaScriptError>?] {
        var run = BatchRun(.map, [function], documents, endsAtLimit: true) { parser, node in
            parser.rows(node).map { .success($0) }
        }
        return try session.withLock { session throws(JavaScriptError) in try run.tried(&session)[0] }
    }

    /// Runs a filter over documents.
    ///
    /// - Parameters:
    ///   - documents: canonical JSON.
    ///   - request: the JSON object that the function gets as its second argument.
    /// - Returns: for each document what the function says, as JavaScript takes it for true or false, or why it says
    ///   nothing, as in `map`.
    /// - Throws: `compilation` or `unavailable`.
    package func filter(
        _ function: JavaScriptFunction,
        _ documents: [[UInt8]],
        request: [UInt8]
    ) throws(JavaScriptError) -> [Result<Bool, JavaScriptError>] {
        let suffix = [UInt8(ascii: ",")] + request
        var run = BatchRun(.filter, [function], documents, suffix: suffix) { parser, node in
            parser.bool(node).map { .success($0) }
        }
        return try session.withLock { session throws(JavaScriptError) in try run.run(&session)[0] }
    }
}
