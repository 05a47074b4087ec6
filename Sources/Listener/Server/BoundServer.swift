internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOPosix
internal import NIOSSL
internal import StorageProtocol

/// A listening socket and the connections that it has accepted.
final class BoundServer: Sendable {
    let address: BoundAddress
    private let quiescing: ServerQuiescingHelper
    private let tasks: ConnectionTasks
    private let loop: any EventLoop

    /// Binds the address of `configuration` and begins to accept.
    ///
    /// - Parameters:
    ///   - tls: nil for connections that are not encrypted.
    ///   - setup: what each connection gets.
    /// - Throws: 423 if the port is in use, 400 if the address is not this computer's or the port not allowed.
    init(
        _ configuration: ServerConfiguration,
        tls: NIOSSLContext?,
        setup: ConnectionSetup,
        logger: Logger
    ) async throws(StorageError) {
        let quiescing = ServerQuiescingHelper(group: MultiThreadedEventLoopGroup.singleton)
        let tasks = ConnectionTasks()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AcceptingHandler(logger: logger))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    let connection = try setup.connection(on: channel)
                    tasks.begin { await setup.answer(connection) }
                }
            }
        do {
            let channel = try await bootstrap.bind(host: configuration.host, port: configuration.port).get()
            let local = channel.localAddress
            address = BoundAddress(host: local?.ipAddress ?? configuration.host, port: local?.port ?? 0)
            loop = channel.eventLoop
        } catch {
            throw StorageError(binding: configuration, error)
        }
        self.quiescing = quiescing
        self.tasks = tasks
    }

    /// Accepts no more and returns when all connections are closed. Those that are not idle may go on for `time`; then
    /// their tasks are cancelled, which closes them.
    func stop(within time: Duration) async {
        let closed = loop.makePromise(of: Void.self)
        quiescing.initiateShutdown(promise: closed)
        let cut = Task {
            try await Task.sleep(for: time)
            tasks.cancel()
        }
        // Throws nothing but what closing the listening socket throws, and then it is closed.
        try? await closed.futureResult.get()
        cut.cancel()
    }
}

/// The tasks of a server's connections, which are cancelled together.
private final class ConnectionTasks: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastID = 0
        var isCancelled = false
    }

    private let state = Locked(State())

    func begin(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.lastID += 1
            let task = Task { [id = state.lastID] in
                await work()
                self.state.withLock { $0.tasks[id] = nil }
            }
            if state.isCancelled { task.cancel() }
            state.tasks[state.lastID] = task
        }
    }

    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
    }
}

extension StorageError {
    /// Why an address could not be bound.
    fileprivate init(binding configuration: ServerConfiguration, _ error: any Error) {
        let (host, port) = (configuration.host, configuration.port)
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            self.init(.inUse, "Port \(port) of \(host) is in use. Stop what uses it, or choose another.", cause: error)
        case EACCES, EPERM:
            self.init(.badParameter, "Port \(port) needs more rights. Choose one above 1023.", cause: error)
        case EADDRNOTAVAIL:
            self.init(.badParameter, "\(host) is not an address of this computer. Choose one that is.", cause: error)
        default:
            let text = "Cannot listen at \(host), port \(port): the address is unknown or cannot be used. Check it."
            self.init(.badParameter, text, cause: error)
        }
    }
}
