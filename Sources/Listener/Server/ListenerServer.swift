internal import Logging
internal import ServiceLifecycle
internal import StorageProtocol

/// Accepts connections and hands their requests to one closure.
///
/// ```swift
/// let server = ListenerServer(ServerConfiguration(), logger: logger) { request, body in
///     Answer(status: .ok)
/// }
/// let address = try await server.start()
/// await server.stop(within: .seconds(10))
/// ```
///
/// A server is started once. It does not end by itself, only by `stop`, or by the end of the task that runs `run`.
actor ListenerServer: Service {
    private enum State {
        case initial
        case starting(Task<BoundAddress, any Error>)
        case stopped(Task<Void, Never>)
    }

    private let configuration: ServerConfiguration
    private let logger: Logger
    private let respond: @Sendable (ListenerRequest, BodyReader) async -> Answer
    private var state = State.initial
    private var running: BoundServer?

    /// What the server has done.
    nonisolated let figures: ServerFigures
    /// Set when `stop` is called: for handlers that run for long.
    nonisolated let stopSignal: StopSignal
    /// SHA-256 of the certificate, as `AB:CD:...`; nil before `start` and without TLS.
    private(set) var fingerprint: String?

    /// - Parameters:
    ///   - stopSignal: Given where the handlers need it before there is a server.
    ///   - respond: Called for one request after the other of a connection, and of many connections at a time, on the
    ///     threads of Swift's tasks, which it must not block. Its task is cancelled when the server is cut.
    init(
        _ configuration: ServerConfiguration,
        logger: Logger,
        stopSignal: StopSignal = StopSignal(),
        metrics: ListenerMetrics = ListenerMetrics(),
        respond: @escaping @Sendable (ListenerRequest, BodyReader) async -> Answer
    ) {
        self.configuration = configuration
        self.logger = logger
        self.stopSignal = stopSignal
        figures = ServerFigures(metrics: metrics)
        self.respond = respond
    }

    /// Binds the address and begins to accept. Called again, tells the same address.
    ///
    /// - Throws: `StorageError`: 423 if the port is in use, 400 if the address is not this computer's or the port not
    ///   allowed, what `ServerTLS.load` throws, 503 after `stop`.
    @discardableResult
    func start() async throws -> BoundAddress {
        switch state {
        case .initial:
            let task = Task { try await self.bind() }
            state = .starting(task)
            return try await task.value
        case .starting(let task): return try await task.value
        case .stopped: throw StorageError(.notOpen, "The server was stopped. Make another one.")
        }
    }

    private func bind() async throws -> BoundAddress {
        guard 0...65_535 ~= configuration.port else {
            throw StorageError(.badParameter, "\(configuration.port) is not a port. Use 0 to 65535.")
        }
        let settings = ConnectionSettings(configuration, figures: figures, stopSignal: stopSignal, logger: logger)
        let limit = OpenFileLimit.connections(wanted: configuration.limits.connections)
        if limit < configuration.limits.connections {
            logger.warning(
                "The process may open few files: fewer connections are taken. Raise the limit (ulimit -n).",
                metadata: ["connections": "\(limit)"]
            )
        }
        let tls = try configuration.tls?.load()
        fingerprint = tls?.fingerprint
        let setup = ConnectionSetup(settings: settings, connectionLimit: limit, respond: respond)
        let server = try await BoundServer(configuration, tls: tls?.context, setup: setup, logger: logger)
        running = server
        return server.address
    }

    /// Ends the server: no new connections, idle ones are closed, handlers are told by `stopSignal`. What is under way
    /// may end within `time`; then its tasks are cancelled and its connections cut. Returns when all connections are
    /// closed. A handler that ignores its cancellation may still run.
    ///
    /// Called again, waits for the same end. Without effect on a server that was not started.
    func stop(within time: Duration = .seconds(10)) async {
        if case .stopped(let task) = state { return await task.value }
        let starting: Task<BoundAddress, any Error>? = if case .starting(let task) = state { task } else { nil }
        let task = Task {
            stopSignal.stop()
            // Fails if nothing was bound, so that nothing is to be ended.
            _ = try? await starting?.value
            await running?.stop(within: time)
        }
        state = .stopped(task)
        await task.value
    }

    /// Starts the server, unless it was, and returns when it has stopped: by `stop`, or within 10 s when the service
    /// group shuts down. At once when the task is cancelled.
    func run() async throws {
        try await start()
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await stopSignal.whenStopping()
            } onGracefulShutdown: {
                Task { await self.stop() }
            }
        } onCancel: {
            Task { await self.stop(within: .zero) }
        }
        await stop()
    }
}
