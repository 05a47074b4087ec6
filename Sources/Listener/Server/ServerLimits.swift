/// How much a client may ask of a server, in bytes and in time. Numbers below 1 count as 1.
struct ServerLimits: Sendable {
    /// Connections at a time. A client beyond is answered 503 with Retry-After, so that it learns why, and is
    /// disconnected. At most as many as the process may open files, less 64: see `ListenerServer.start`.
    var connections = 8_192
    /// Bytes of a request's head: request line and headers. 431 beyond.
    var headBytes = 32_768
    /// Bytes of a request's target: path and query. 414 beyond.
    var targetBytes = 16_384
    /// From a head's first byte to its last; a TLS handshake has as long. 408 beyond.
    var headTime = Duration.seconds(10)
    /// Bytes per second that a client must send of a body on average, counted while the server reads.
    var bodyRate = 1_024
    /// How long a body may be behind `bodyRate` before its reader throws 408.
    var bodyGrace = Duration.seconds(10)
    /// How long a client may take no byte of an answer before the connection is cut.
    var stalledTime = Duration.seconds(60)
    /// How long a connection may wait for its next request.
    var idleTime = Duration.seconds(60)
    /// How long the server discards what a client sends after the last answer of its connection. A connection that is
    /// closed at once, with unread bytes, loses that answer.
    var lingerTime = Duration.seconds(5)
    /// Bytes of an unread body that are discarded so that the connection can be kept.
    var drainedBytes = 65_536
}
