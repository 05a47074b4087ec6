internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import StorageProtocol

/// A server with or without TLS.
protocol RunningServer: Sendable {
    func start() async throws -> BoundAddress
    func stop(within time: Duration) async
}

/// HummingbirdCore's server, with the address that it has bound, and an end within a time.
actor BoundServer<Channel: ServerChildChannel>: RunningServer {
    private let server: HummingbirdCore.Server<Channel>
    private let configuration: ServerConfiguration
    private let bound: AsyncStream<BoundAddress>
    private let found: AsyncStream<BoundAddress>.Continuation
    private var running: Task<Void, any Error>?

    init(_ channel: Channel, _ configuration: ServerConfiguration, _ logger: Logger) {
        let (bound, found) = AsyncStream.makeStream(of: BoundAddress.self)
        self.bound = bound
        self.found = found
        self.configuration = configuration
        server = HummingbirdCore.Server(
            childChannelSetup: channel,
            configuration: HummingbirdCore.ServerConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: 1_024
            ),
            onServerRunning: { channel in
                try? await channel.eventLoop.submit {
                    let handler = AcceptingHandler(logger: logger)
                    try channel.pipeline.syncOperations.addHandler(handler, position: .first)
                }.get()
                let address = channel.localAddress
                found.yield(BoundAddress(host: address?.ipAddress ?? configuration.host, port: address?.port ?? 0))
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
    }

    func start() async throws -> BoundAddress {
        let task = Task { [server, found] in
            defer { found.finish() }
            try await server.run()
        }
        running = task
        for await address in bound { return address }
        do {
            try await task.value
        } catch {
            throw StorageError(binding: configuration, error)
        }
        throw StorageError(.notOpen, "The server was stopped while it started. Make another one.")
    }

    func stop(within time: Duration) async {
        guard let running else { return }
        let cut = Task {
            try await Task.sleep(for: time)
            running.cancel()
        }
        // Throws nothing but what closing the listening socket throws, and then it is closed.
        try? await server.shutdownGracefully()
        cut.cancel()
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
