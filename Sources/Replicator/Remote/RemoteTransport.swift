internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import SetteeEngine
internal import StorageProtocol

/// Sends requests to the server of an endpoint, and to no other.
final class RemoteTransport: Sendable {
    /// So many connections at a time: six that fetch or write, four that compare, the feed, the checkpoint, and four to
    /// spare. Requests beyond wait for one, and fail after the time to connect.
    private static let connections = 16
    private static let redirects = 5
    /// The longest head of a request in bytes. The client's state machine traps where a head fills the buffer of a
    /// connection, which has 64 KiB, and a body follows.
    private static let longestHead = 60 << 10

    let endpoint: RemoteEndpoint
    private let client: HTTPClient
    private let check: CertificateCheck
    private let brokenAnswers: BrokenAnswers

    /// - Throws: `badParameter` (495) for headers that cannot be sent, `fileSystem` (498) for PEM files that cannot be
    ///   read.
    init(_ endpoint: RemoteEndpoint) throws(StorageError) {
        guard endpoint.headers.allSatisfy(RemoteTransport.canBeSent) else {
            throw StorageError(
                .badParameter,
                "A header of the endpoint cannot be sent. Its name may have ASCII letters, digits and `!#$%&'*+-.^_`|~`, "
                    + "its value no line breaks and no other controls."
            )
        }
        self.endpoint = endpoint
        let check = CertificateCheck(endpoint.trust.pins)
        self.check = check
        let brokenAnswers = BrokenAnswers()
        self.brokenAnswers = brokenAnswers
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(endpoint.connectTimeout),
                read: TimeAmount(endpoint.silenceTimeout),
                write: TimeAmount(endpoint.silenceTimeout)
            ),
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = RemoteTransport.connections
        // The failure is told at once, and not only after the time to connect.
        configuration.connectionPool.retryConnectionEstablishment = false
        let usesTLS = endpoint.usesTLS
        if usesTLS { configuration.tlsConfiguration = try TLSConfiguration(endpoint.trust) }
        configuration.http1_1ConnectionDebugInitializer = { channel in
            do {
                try brokenAnswers.watch(channel)
                try AnswerFilter.add(to: channel)
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return usesTLS ? check.look(at: channel) : channel.eventLoop.makeSucceededVoidFuture()
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// NIO traps for a name that is not ASCII.
    private static func canBeSent(_ name: String, _ value: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            } && value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }

    deinit {
        // Keeps the client until it has closed its connections.
        client.shutdown { _ in }
    }

    /// The certificate that the server showed last; nil without TLS, and before the first connection.
    var serverCertificate: ServerCertificate? { check.last }

    /// Sends a request and returns the head of the answer, whatever its status. Redirects are followed within the
    /// origin.
    ///
    /// - Throws: `PeerError`, `CancellationError`.
    func send(_ request: RemoteRequest, login: [(name: String, value: String)]) async throws -> RemoteResponse {
        let began = ContinuousClock.now
        do {
            let response = try await answer(request, login)
            log(request, "\(response.status)", since: began)
            return response
        } catch {
            log(request, ReplicationError.logged(error), since: began)
            throw error
        }
    }

    private func log(_ request: RemoteRequest, _ end: String, since began: ContinuousClock.Instant) {
        Log.log(
            .debug,
            .remoteRequest,
            "\(request.logged(at: endpoint)): \(end), \((ContinuousClock.now - began).logged)"
        )
    }

    private func answer(
        _ request: RemoteRequest,
        _ login: [(name: String, value: String)]
    ) async throws -> RemoteResponse {
        var url = request.url(at: endpoint)
        for _ in 0...RemoteTransport.redirects {
            let message = message(request, url, login)
            try RemoteTransport.measure(message)
            let response = try await execute(message)
            let status = Int(response.status.code)
            guard [301, 302, 303, 307, 308].contains(status), let location = response.headers.first(name: "location")
            else {
                let secrets = RemoteTransport.secrets(login.map(\.value) + endpoint.headers.values)
                return try RemoteResponse(
                    response,
                    status,
                    keepsEncoding: request.keepsEncoding,
                    secrets: secrets,
                    brokenAnswers: brokenAnswers
                )
            }
            guard let next = follow(location), request.method == .GET || status >= 307 else {
                var error = PeerError(
                    .badAnswer,
                    status: status,
                    "The server sends requests to another address. Use that as the database's URL."
                )
                error.isNameless = true
                throw error
            }
            url = next
        }
        throw PeerError(.badAnswer, status: 310, "The server answers with one redirect after another.")
    }

    /// The values of headers, and the parts of them that are secrets without the rest: `Basic SECRET`, `name=SECRET`.
    private static func secrets(_ values: [String]) -> [String] {
        values.flatMap { value in
            [value] + value.split { " =;,\"".contains($0) }.map(String.init)
        }.filter { $0.utf8.count >= 8 }
    }

    private func message(
        _ request: RemoteRequest,
        _ url: String,
        _ login: [(name: String, value: String)]
    ) -> HTTPClientRequest {
        var message = HTTPClientRequest(url: url)
        message.method = request.method
        for (name, value) in endpoint.headers { message.headers.replaceOrAdd(name: name, value: value) }
        for (name, value) in request.headers { message.headers.replaceOrAdd(name: name, value: value) }
        for (name, value) in login { message.headers.replaceOrAdd(name: name, value: value) }
        message.headers.add(name: "User-Agent", value: "Settee")
        if !request.keepsEncoding { message.headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip") }
        switch request.body {
        case nil: break
        case .json(let bytes):
            message.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
            message.body = .bytes(ByteBuffer(bytes: bytes))
        case .pieces(let type, let length, let make):
            message.headers.replaceOrAdd(name: "Content-Type", value: type)
            message.body = .stream(make(), length: .known(Int64(clamping: length)))
        }
        return message
    }

    /// - Throws: `badDocument` for a URL that is too long, which is that of a document; `badAnswer` for headers.
    private static func measure(_ message: HTTPClientRequest) throws(PeerError) {
        // Beside them a head has the method, the version and the length of the body.
        let rest = 256
        let address = message.url.utf8.count
        let headers = message.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard address + headers + rest > longestHead else { return }
        if address > headers {
            throw PeerError(.badDocument, status: 414, "The request's URL and headers have more than 60 KiB.")
        }
        throw PeerError(.badAnswer, status: 431, "The headers of a request have more than 60 KiB.")
    }

    private func execute(_ message: HTTPClientRequest) async throws -> HTTPClientResponse {
        do {
            // A request ends by silence, not after a time: a feed may last as long as it likes.
            return try await client.execute(message, deadline: .distantFuture)
        } catch {
            // Only a second look tells what the certificate is that was not trusted.
            if let failure = TLSFailure(error), failure == .name || failure == .certificate {
                throw PeerError.untrusted(failure, endpoint, try? await endpoint.serverCertificate())
            }
            throw PeerError.ofConnection(error, endpoint)
        }
    }

    /// The URL of a redirect, if it is of the same origin.
    func follow(_ location: String) -> String? {
        if location.hasPrefix("/"), !location.hasPrefix("//") { return endpoint.origin + location }
        let origin = endpoint.origin + "/"
        return location.lowercased().hasPrefix(origin) ? origin + location.dropFirst(origin.count) : nil
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .milliseconds(
            seconds.multipliedReportingOverflow(by: 1000).partialValue + attoseconds / 1_000_000_000_000_000
        )
    }
}
