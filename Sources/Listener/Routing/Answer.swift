internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import StorageProtocol

/// What a handler answers: a status, headers, and a body that is nothing, bytes, or written piece by piece.
///
/// The server adds Content-Length or chunks, Date, and Connection. For HEAD it sends the head that GET would have and
/// no body: a stream's closure is then not called.
struct Answer: Sendable {
    /// The status, 200 to 599.
    var status: HTTPResponse.Status
    /// The headers but those that frame the body: Content-Length, Transfer-Encoding, Connection and Date are the
    /// server's, and what a handler says of them is dropped.
    var headers: HTTPFields
    /// What follows the head.
    var body: Body
    /// Whether it waits for changes, so that how long it lasts says nothing about the server.
    var isFeed = false

    init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    enum Body: Sendable {
        /// No bytes. Content-Length is 0, but for 204 and 304, which have none.
        case none
        case bytes(ByteBuffer)
        /// Written piece by piece. `length` is the Content-Length if it is known; else the body is sent in chunks, or
        /// to a client of HTTP/1.0 until the connection is closed.
        ///
        /// If the closure throws, or writes more or less than `length`, the connection is closed, so that the client
        /// sees that the answer is incomplete.
        case stream(length: Int?, @Sendable (any AnswerSink) async throws -> Void)
    }
}

extension Answer {
    /// Calls `action` with what the database throws while the answer is written.
    func whenFailed(_ action: @escaping @Sendable (any Error) -> Void) -> Answer {
        guard case .stream(let length, let write) = body else { return self }
        var answer = self
        answer.body = .stream(length: length) { sink in
            do {
                try await write(sink)
            } catch {
                // What else there is are clients that have gone.
                if error is StorageError || error is CouchError { action(error) }
                throw error
            }
        }
        return answer
    }

    /// Calls `action` when the answer has been written, or cannot be.
    ///
    /// - Parameter method: That of the request: HEAD has no body.
    func whenWritten(to method: HTTPRequest.Method, _ action: @escaping @Sendable () -> Void) -> Answer {
        guard case .stream(let length, let write) = body, method != .head else {
            action()
            return self
        }
        var answer = self
        answer.body = .stream(length: length) { sink in
            defer { action() }
            try await write(sink)
        }
        return answer
    }
}
