#if Sync
internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import Settee
internal import SetteeReplicator
internal import StorageProtocol

/// `settee certificate`.
struct CertificateCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Show the certificate of a server, to pin it.",
        discussion: """
            Whoever is between here and the server can show another one. Compare the SHA-256 with what the server \
            itself says, such as `settee serve --tls` when it starts; then `settee replicate --pin` trusts it. No \
            request is sent.
            """
    )

    @Argument(help: "The URL of the server or of a database there, with https.")
    var url: String
    @OptionGroup var common: OutputOptions

    func validate() throws { _ = try endpoint() }

    private func endpoint() throws -> RemoteEndpoint {
        guard var parts = URLComponents(string: url), parts.scheme?.lowercased() == "https", parts.user == nil else {
            throw ValidationError("The URL is like https://host:port, without user and password.")
        }
        // The certificate is the server's.
        (parts.path, parts.query, parts.fragment) = ("/db", nil, nil)
        do throws(StorageError) {
            return try RemoteEndpoint(parts.string ?? "")
        } catch {
            throw ValidationError(error.message)
        }
    }

    func run() throws {
        let endpoint = try endpoint()
        let outcome = Locked<Result<ServerCertificate, ReplicationError>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Task {
            let result: Result<ServerCertificate, ReplicationError>
            do throws(ReplicationError) {
                result = .success(try await endpoint.serverCertificate())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            ended.signal()
        }
        ended.wait()
        switch outcome.withLock({ $0 }) {
        case .success(let certificate): try print(certificate)
        case .failure(let error): throw StorageError(error)
        case nil: break
        }
    }

    private func print(_ certificate: ServerCertificate) throws {
        let printer = Printer(asJSON: common.json)
        var rows = [("SHA-256", certificate.pin.description)]
        var json = JSONLine().string("sha256", certificate.pin.description)
        if let details = certificate.details {
            let (from, until) = (details.validFrom.ISO8601Format(), details.validUntil.ISO8601Format())
            rows += [
                ("Subject", details.subject), ("Issuer", details.issuer),
                ("Names", details.names.joined(separator: ", ")), ("Valid", "from \(from) to \(until)"),
            ]
            json = json.string("subject", details.subject).string("issuer", details.issuer)
                .strings("names", details.names).string("validFrom", from).string("validUntil", until)
        }
        if common.json {
            try printer.output.append(json.bytes)
        } else {
            for (name, value) in rows {
                let padded = name.padding(toLength: 9, withPad: " ", startingAt: 0)
                try printer.output.append("\(padded)\(Columns.printable(value))\n")
            }
        }
        try printer.flush()
    }
}
#endif
