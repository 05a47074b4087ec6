#if Sync
internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import Settee
internal import SetteeEngine
internal import SetteeReplicator
internal import StorageProtocol

/// `settee replicate`.
struct ReplicateCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "replicate",
        abstract: "Bring the documents of a database to another one.",
        discussion: """
            <source> and <target> are database folders or URLs such as https://example.com/orders; one of them is a \
            folder. Documents go one way; run it the other way round for the rest. Conflicts stay visible on both \
            sides. A run begins where the last one with the same sides and options ended.

            An interrupt or SIGTERM ends it in order. With --continuous that is exit status 0.
            """
    )

    @Argument(help: "Where documents come from.", completion: .directory)
    var source: ReplicateSide
    @Argument(help: "Where they go.", completion: .directory)
    var target: ReplicateSide
    @Flag(help: "Go on with changes to come until it is interrupted.")
    var continuous = false
    @OptionGroup var choice: ReplicateChoice
    @Flag(help: "Make the target if it is not there.")
    var createTarget = false
    @Flag(help: "Begin with the first change, whatever was replicated before.")
    var reset = false
    @Flag(help: "First try the documents again that earlier runs with the same sides and options could not pass on.")
    var retryFailed = false
    @OptionGroup var login: ReplicateLogin
    @OptionGroup var trust: ReplicateTrust
    @OptionGroup var type: StorageTypeOption
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions
    @OptionGroup var common: OutputOptions

    func validate() throws {
        try source.validate()
        try target.validate()
        switch (source, target) {
        case (.url, .url): throw ValidationError("One of the two must be a database folder.")
        case (.folder, .folder):
            if login.isGiven || trust.isGiven {
                throw ValidationError("Nobody logs in where both are database folders.")
            }
        case (.url(let url), .folder), (.folder, .url(let url)):
            if trust.isGiven, !url.lowercased().hasPrefix("https:") {
                throw ValidationError("--pin, --ca and --cert are for https.")
            }
        }
        if case .folder = source, !choice.channels.isEmpty {
            throw ValidationError("--channels are those of a server that is pulled from.")
        }
    }

    func run() throws {
        let databases = ReplicateDatabases(type: type, key: key, newKey: newKey, asJSON: common.json)
        defer { KeyPrompt.release() }
        for case .folder(let path) in [source, target] { FaultSignals.report(for: path, asJSON: common.json) }
        var opened: [Database] = []
        do {
            let configuration = try configuration(databases, &opened)
            try ReplicateRun(configuration, from: source.name, to: target.name, asJSON: common.json)
                .run(retryingFailed: retryFailed)
        } catch {
            for database in opened { try? database.close() }
            throw error
        }
        for database in opened { try database.close() }
    }

    private func configuration(
        _ databases: ReplicateDatabases,
        _ opened: inout [Database]
    ) throws -> ReplicatorConfiguration {
        let authenticator = try login.authenticator(asJSON: common.json)
        let trust = try trust.trust(asJSON: common.json)
        var configuration: ReplicatorConfiguration
        switch (source, target) {
        case (.folder(let from), .folder(let to)):
            let source = try databases.open(from)
            opened.append(source)
            try source.requireNothingLost()
            let target = try databases.open(to, creating: createTarget, from: source)
            opened.append(target)
            configuration = ReplicatorConfiguration(database: source, target: .database(target))
            configuration.direction = .push
        case (.folder(let from), .url(let url)):
            let source = try databases.open(from)
            opened.append(source)
            try source.requireNothingLost()
            configuration = ReplicatorConfiguration(database: source, target: .url(url))
            configuration.direction = .push
            configuration.createsTarget = createTarget
        case (.url(let url), .folder(let to)):
            let target = try databases.open(to, creating: createTarget) { () throws(StorageError) in
                var endpoint = try RemoteEndpoint(url)
                endpoint.trust = trust
                endpoint.allowsInsecureLogin = login.allowInsecureLogin
                try check(endpoint, authenticator)
            }
            opened.append(target)
            configuration = ReplicatorConfiguration(database: target, target: .url(url))
            configuration.direction = .pull
        case (.url, .url):
            throw ValidationError("One of the two must be a database folder.")
        }
        configuration.isContinuous = continuous
        configuration.resetsCheckpoint = reset
        configuration.authenticator = authenticator
        configuration.allowsInsecureLogin = login.allowInsecureLogin
        configuration.trust = trust
        try choice.apply(to: &configuration)
        return configuration
    }

    /// Whether the source can be read. If not, no folder is made for it.
    private func check(_ source: RemoteEndpoint, _ authenticator: Authenticator?) throws(StorageError) {
        let failure = Locked<ReplicationError?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Task {
            do throws(ReplicationError) {
                try await source.checkAccess(authenticator)
            } catch {
                failure.withLock { $0 = error }
            }
            ended.signal()
        }
        ended.wait()
        if let failure = failure.withLock({ $0 }) { throw StorageError(failure) }
    }
}
#endif
