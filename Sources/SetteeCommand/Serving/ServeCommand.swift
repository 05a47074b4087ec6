#if Sync
internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import Settee
internal import SetteeListener
internal import StorageProtocol

/// `settee serve`.
struct ServeCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the databases of a folder over CouchDB's HTTP API.",
        discussion: """
            It listens on this computer only unless --host says otherwise, and that needs --users. An interrupt or \
            SIGTERM ends it: feeds end, and requests have 10 seconds.

            --key-file opens the encrypted databases of the folder. New ones are encrypted with --new-key-file; with \
            --key-file alone none can be made. A database that the keys do not open is answered 403.
            """
    )

    @Argument(help: "The folder with the databases.", completion: .directory)
    var folder = "."
    @Option(help: "The name or address to listen on.")
    var host = "127.0.0.1"
    @Option(help: "The port; 0 for any free one.")
    var port = 5984
    @Flag(help: "Change nothing but the checkpoints of replications.")
    var readOnly = false
    @Option(help: "A file of users, one entry a line, which only its owner may read.", completion: .file())
    var users: String?
    @Flag(help: "Serve other machines without users: whoever reaches the port may do everything.")
    var allowAnyone = false
    @Flag(help: "Encrypt with a certificate that is made here and kept in the folder, under .settee-tls.")
    var tls = false
    @Option(help: "Encrypt with the certificate in this PEM file. Needs --cert-key.", completion: .file())
    var cert: String?
    @Option(help: "The PEM file with the certificate's private key.", completion: .file())
    var certKey: String?
    @Option(
        help: "Serve only clients with a certificate of the authorities in this PEM file. Needs --tls or --cert.",
        completion: .file()
    )
    var clientCa: String?
    @Option(help: "Let pages of this origin use the server, such as https://app.example; may be repeated.")
    var cors: [String] = []
    @Option(help: "Advertise it on the local network under this name. Needs --host, and Avahi's daemon.")
    var advertise: String?
    @OptionGroup var type: StorageTypeOption
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions
    @OptionGroup var common: OutputOptions

    func validate() throws {
        if (cert == nil) != (certKey == nil) { throw ValidationError("--cert and --cert-key belong together.") }
        if tls, cert != nil { throw ValidationError("--tls makes a certificate; --cert names one. Give one of them.") }
        if clientCa != nil, !tls, cert == nil { throw ValidationError("--client-ca needs --tls or --cert.") }
        if let advertise { try ServeCommand.check(advertise, on: host) }
        if !(0...65_535 ~= port) { throw ValidationError("--port must be from 0 to 65535.") }
    }

    func run() throws {
        let newType = try type.forNewDatabase()
        let manager = try Manager(directory: URL(argument: folder, .isDirectory), options: .init(storageType: newType))
        if let newType, !manager.engines.contains(where: { $0.storageType == newType }) {
            throw StorageError(.invalidStorageType, "There is no storage type '\(newType)'. Use sqlite or lmdb.")
        }
        var configuration = try configuration()
        configuration.newDatabaseKey = try newKey.source.key(asJSON: common.json)
        configuration.key = try givenKey(for: manager)
        let end = ServeEnd()
        let interrupts = Interrupts { _ in end.request() }
        defer { interrupts.restore() }
        let listener = try Listener(manager: manager, configuration: configuration)
        if end.begins(listener) { try serve(with: listener, until: end) }
        try manager.close()
    }

    /// The key of encrypted databases: that of the options, else one that is typed, if there is any such database.
    private func givenKey(for manager: Manager) throws(StorageError) -> StorageKey? {
        if let given = try key.source.key(asJSON: common.json) { return given }
        guard !newKey.source.isGiven, try manager.hasEncryptedDatabases else { return nil }
        return try KeyPrompt.ask(for: folder)
    }

    /// Returns when it has ended.
    private func serve(with listener: Listener, until end: ServeEnd) throws {
        let ended = DispatchSemaphore(value: 0)
        let failure = Locked<(any Error)?>(nil)
        let asJSON = common.json
        let name = advertise
        Task {
            do {
                try await listener.start()
                try ServeCommand.tell(listener.url ?? "", await listener.fingerprint, asJSON: asJSON)
                try await ServeCommand.run(listener, advertisedAs: name, asJSON: asJSON)
            } catch {
                await listener.stop()
                failure.withLock { $0 = error }
            }
            ended.signal()
        }
        ended.wait()
        guard let error = failure.withLock({ $0 }) else { return }
        // It was to end before it had started.
        if end.isRequested, (error as? StorageError)?.code == .notOpen { return }
        throw error
    }

    private func configuration() throws(StorageError) -> ListenerConfiguration {
        var access = AccessConfiguration(users: try users.map { path throws(StorageError) in try .file(path) } ?? .none)
        access.isReadOnly = readOnly
        access.allowsAnyone = allowAnyone
        // Clients that follow a feed go on with their cookie after a restart.
        if users != nil, !readOnly {
            access.sessionSecret = try AccessConfiguration.sessionSecret(inFile: folder + "/.settee-sessions")
        }
        if !cors.isEmpty { access.crossOrigin = try .origins(cors) }
        var configuration = ListenerConfiguration(host: host, port: port, access: access)
        configuration.keepsMetrics = true
        configuration.replicator = CommandReplicator()
        if let cert, let certKey {
            configuration.tls = .files(certificate: cert, key: certKey)
        } else if tls {
            configuration.tls = .selfSigned(named: host, in: folder + "/.settee-tls")
        }
        configuration.tls?.clientAuthority = clientCa
        configuration.tls?.requiresClientCertificate = clientCa != nil
        return configuration
    }

    /// Says where it listens, once it does: programs that started it wait for that line.
    private static func tell(_ url: String, _ fingerprint: String?, asJSON: Bool) throws {
        let printer = Printer(asJSON: asJSON)
        if asJSON {
            var line = JSONLine().string("url", url)
            if let fingerprint { line = line.string("fingerprint", fingerprint) }
            try printer.output.append(line.bytes)
        } else {
            try printer.output.append("Listening on \(url)\n")
            if let fingerprint { try printer.output.append("Certificate (SHA-256): \(fingerprint)\n") }
        }
        try printer.flush()
    }
}
#endif
