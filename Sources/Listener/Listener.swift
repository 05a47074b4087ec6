public import CoreMetrics
public import Logging
public import ServiceLifecycle
public import SetteeEngine
public import StorageProtocol

/// Serves the databases of a manager over CouchDB's HTTP API.
///
/// ```swift
/// let listener = try Listener(manager: manager, configuration: ListenerConfiguration(port: 5984))
/// try await listener.start()
/// print(await listener.url ?? "")  // http://127.0.0.1:5984/
/// await listener.stop()
/// ```
///
/// It is also a service (`ServiceLifecycle`): `run` starts it and returns when it has stopped. The manager stays the
/// app's, which goes on using its databases and closes it behind the listener.
public final class Listener: Service {
    private let configuration: ListenerConfiguration
    private let core: ListenerCore
    private let server: ListenerServer
    private let address: Locked<BoundAddress?> = Locked(nil)

    /// - Parameters:
    ///   - logger: Where it logs; nil: to the domain `listener` of `Log`, with the level that it has now.
    ///   - metrics: Where its metrics go; nil: to what the program has chosen with `MetricsSystem.bootstrap` before.
    /// - Throws: `badParameter` (495) for a configuration that would let anyone on the network do everything, or that
    ///   contradicts itself.
    public init(
        manager: Manager,
        configuration: ListenerConfiguration = ListenerConfiguration(),
        logger: Logger? = nil,
        metrics: (any MetricsFactory)? = nil
    ) throws(StorageError) {
        try configuration.access.check(address: configuration.host)
        self.configuration = configuration
        let logger = logger ?? Listener.defaultLogger
        var options = ListenerOptions()
        options.documentBytes = configuration.documentBytes
        options.bulkBytes = configuration.bulkBytes
        options.bulkDocumentsBytes = configuration.bulkDocumentsBytes
        options.feeds = configuration.feeds
        let keys = DatabaseKeys(existing: configuration.key, new: configuration.newDatabaseKey)
        let kept = configuration.keepsMetrics ? KeptMetrics() : nil
        let given = metrics ?? MetricsSystem.factory
        let metrics = ListenerMetrics(kept.map { MultiplexMetricsHandler(factories: [given, $0]) } ?? given)
        let core = ListenerCore(
            manager,
            options: options,
            keys: keys,
            access: configuration.access,
            javaScript: configuration.javaScript,
            logger: logger,
            metrics: metrics,
            keptMetrics: kept,
            replicator: configuration.replicator
        )
        self.core = core
        var limits = ServerLimits()
        limits.connections = configuration.connections
        let settings = ServerConfiguration(
            host: configuration.host,
            port: configuration.port,
            tls: configuration.tls?.server,
            limits: limits
        )
        server = ListenerServer(settings, logger: logger, metrics: metrics) { request, body in
            await core.respond(request, body)
        }
    }

    private static var defaultLogger: Logger {
        var logger = Logger(label: LogDomain.listener.label)
        logger.logLevel = Logger.Level(rawValue: Log.level(of: .listener).rawValue) ?? .critical
        return logger
    }

    /// Begins to listen. Called again, does nothing.
    ///
    /// - Throws: `StorageError`: `inUse` (423) if the port is in use, `badParameter` (495) if the address is not this
    ///   computer's or the port not allowed, `fileSystem` (498) for files of TLS that cannot be used, `notOpen` (503)
    ///   after `stop`.
    public func start() async throws {
        let bound = try await server.start()
        address.withLock { $0 = bound }
    }

    /// Ends the listener: no new connections, feeds end with their last sequence, what is under way may end within
    /// `time`. Returns when all connections are closed.
    public func stop(within time: Duration = .seconds(10)) async {
        core.stopFeeds()
        await server.stop(within: time)
        await core.stop()
    }

    /// Starts the listener, unless it was, and returns when it has stopped: by `stop`, or when the service group shuts
    /// down.
    public func run() async throws {
        // One that was stopped since it was started has nothing more to do, and that is no error.
        if port == nil { try await start() }
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                await server.stopSignal.whenStopping()
            } onCancel: {
                Task { await self.stop(within: .zero) }
            }
        } onGracefulShutdown: {
            Task { await self.stop() }
        }
        await stop()
    }

    /// Where it listens, such as `http://127.0.0.1:5984/`; nil before `start`.
    public var url: String? {
        address.withLock { $0 }.map { bound in
            let host = bound.host.utf8.contains(UInt8(ascii: ":")) ? "[\(bound.host)]" : bound.host
            return "\(configuration.tls == nil ? "http" : "https")://\(host):\(bound.port)/"
        }
    }

    /// The port it listens on; nil before `start`.
    public var port: Int? { address.withLock { $0?.port } }

    /// The `uuid` that `GET /` answers, by which a program knows itself among the peers that it finds. Another one for
    /// each listener.
    public var uuid: String { core.uuid }

    /// The SHA-256 of its certificate, such as `AB:CD:...`; nil before `start` and without TLS.
    public var fingerprint: String? { get async { await server.fingerprint } }
}
