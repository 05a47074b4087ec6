internal import HTTPTypes
internal import Logging
internal import SetteeCouchProtocol
internal import SetteeEngine
internal import SetteeJavaScript
internal import StorageProtocol

/// Answers requests from the databases of a manager.
final class ListenerCore: Sendable {
    let databases: ServedDatabases
    let threads: BlockingThreads
    let options: ListenerOptions
    let policy: AccessPolicy
    let tasks = ActiveTasks()
    let feeds: FeedCount
    let memory: MemoryBudget
    private let metrics: ListenerMetrics
    private let logger: Logger
    /// What `_node/_local/_prometheus` tells.
    let keptMetrics: KeptMetrics?
    /// For `_replicate`.
    let replicator: (any ListenerReplicator)?
    let replications: RunningReplications
    /// For functions of design documents.
    let javaScript: JavaScriptPool
    let builds: ViewBuilds
    /// For queries that read or sort many documents.
    let searches: LongCalls
    /// For filters of design documents.
    let filters: LongCalls
    /// For functions that judge writes.
    private let judging: LongCalls
    /// Tells this server from others; not kept.
    let uuid: String

    /// - Parameter access: One that `AccessConfiguration.check(address:)` has accepted.
    init(
        _ manager: Manager,
        options: ListenerOptions = ListenerOptions(),
        keys: DatabaseKeys = DatabaseKeys(),
        access: AccessConfiguration = AccessConfiguration(),
        javaScript: JavaScriptConfiguration = JavaScriptConfiguration(),
        logger: Logger = Logger(label: "settee.listener"),
        metrics: ListenerMetrics = ListenerMetrics(),
        keptMetrics: KeptMetrics? = nil,
        replicator: (any ListenerReplicator)? = nil
    ) {
        self.options = options
        self.metrics = metrics
        self.logger = logger
        self.keptMetrics = keptMetrics
        self.replicator = replicator
        replications = RunningReplications(tasks: tasks, limit: options.replications)
        policy = AccessPolicy(access, logger: logger)
        threads = BlockingThreads(threads: options.threads, waiting: options.waitingCalls, metrics: metrics)
        var functions = javaScript
        functions.logger = javaScript.logger ?? logger
        self.javaScript = JavaScriptPool(functions)
        builds = ViewBuilds(threads, most: max(1, options.threads / 2), tasks: tasks)
        searches = LongCalls(threads, most: max(1, options.threads / 2))
        filters = LongCalls(threads, most: max(1, options.threads / 4))
        judging = LongCalls(threads, most: max(1, options.threads / 2))
        databases = ServedDatabases(
            manager,
            keys: keys,
            isReadOnly: access.isReadOnly,
            threads: threads,
            judging: judging,
            javaScript: self.javaScript,
            metrics: metrics
        )
        memory = MemoryBudget(options)
        feeds = FeedCount(limit: options.feeds, metrics: metrics)
        uuid = RandomIdentifier.text()
    }

    /// Ends all feeds, and lets none wait from now on. Has replications end.
    func stopFeeds() {
        for served in databases.all { served.signal.stop() }
        replications.stop()
    }

    /// Ends what still runs when all connections are closed, and everything that calls of the database need.
    func stop() async {
        await replications.end()
        builds.stop()
        searches.stop()
        filters.stop()
        judging.stop()
        javaScript.close()
        await threads.stop()
    }

    /// Answers a request. Never fails: what goes wrong is an answer, too.
    func respond(_ request: ListenerRequest, _ body: BodyReader) async -> Answer {
        let began = ContinuousClock.now
        let path = Result { () throws(CouchError) in
            let target = try RequestTarget(request.head.path ?? "/")
            return (target, try Route(target.segments))
        }
        let route = (try? path.get())?.1
        let method = request.head.method
        var answer = await decide(request, body, path).whenFailed { error in self.log(error, of: route) }
        if let served = route?.database.flatMap({ databases.opened($0) }) {
            answer = answer.whenWritten(to: method) { [threads] in served.keepDigests(on: threads) }
        }
        return metrics.counted(answer, to: method, of: route?.kind ?? "none", since: began)
    }

    private func decide(
        _ request: ListenerRequest,
        _ body: BodyReader,
        _ path: Result<(RequestTarget, Route), CouchError>
    ) async -> Answer {
        let asked = AccessRequest(request)
        do throws(AccessRefusal) {
            if let headers = try policy.preflight(asked) { return Answer(status: .noContent, headers: headers) }
            // Only clients with a right to read learn that a path does not exist.
            let right = (try? path.get())?.1.right(request.head.method) ?? .serverRead
            let access = try await policy.decide(asked, needs: right)
            var answer = await answer(request, body, path, access)
            answer.add(access.headers)
            return answer
        } catch {
            var answer = Answer(error.error)
            for field in error.headers { answer.headers[field.name] = field.value }
            return answer
        }
    }

    private func answer(
        _ request: ListenerRequest,
        _ body: BodyReader,
        _ path: Result<(RequestTarget, Route), CouchError>,
        _ access: Access
    ) async -> Answer {
        do {
            let (target, route) = try path.get()
            let exchange = Exchange(request, body, self, target, route, access)
            let answer = try await exchange.answer()
            // A stream goes on with what was asked.
            return answer.whenWritten(to: exchange.method) { [memory = exchange.memory] in
                withExtendedLifetime(memory) {}
            }
        } catch let error as AccessRefusal {
            var answer = Answer(error.error)
            for field in error.headers { answer.headers[field.name] = field.value }
            return answer
        } catch {
            let route = (try? path.get())?.1
            log(error, of: route)
            return Answer(lostFolder(of: route, behind: error) ?? CouchError(any: error))
        }
    }

    /// What says more than a failure of a database whose folder was removed or replaced during the request.
    private func lostFolder(of route: Route?, behind error: any Error) -> CouchError? {
        guard let name = route?.database, CouchError(any: error).status >= 500 else { return nil }
        do throws(CouchError) {
            _ = try databases.inPlace(name, isRead: false)
            return nil
        } catch {
            return error
        }
    }

    /// Logs a failure of which the client is told that the log says why.
    func log(_ error: any Error, of route: Route?) {
        let refusal = CouchError(any: error)
        guard refusal == .internalError || refusal.cause != nil else { return }
        let failure = refusal.cause ?? error
        var metadata: Logger.Metadata = ["reason": "\(Log.describe(failure))"]
        if let database = route?.database { metadata["database"] = "\(database)" }
        if let failure = failure as? StorageError { metadata["at"] = "\(failure.location)" }
        logger.error("A request could not be answered.", metadata: metadata)
    }
}

extension AccessRequest {
    init(_ request: ListenerRequest) {
        self.init(
            method: request.head.method,
            authority: request.head.authority,
            headers: request.head.headerFields,
            remoteAddress: request.remoteAddress ?? "",
            isSecure: request.isSecure,
            clientCertificate: request.clientCertificate
        )
    }
}
