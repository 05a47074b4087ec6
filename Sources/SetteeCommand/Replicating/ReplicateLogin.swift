#if Sync
internal import ArgumentParser
internal import Settee
internal import SetteeReplicator

/// How `settee replicate` logs in. Passwords are never arguments, because all users of the machine can see arguments.
struct ReplicateLogin: ParsableArguments {
    @Option(help: "The user at the server. Needs --password-file.")
    var user: String?
    @Option(help: "A file with the password; - for standard input.", completion: .file())
    var passwordFile: String?
    @Option(
        help: "A file with a bearer token. It is read again when the server refuses the token.",
        completion: .file()
    )
    var tokenFile: String?
    @Option(
        help: ArgumentHelp(
            "The SHA-256 of a certificate to trust, and no other; may be repeated.",
            valueName: "sha256"
        )
    )
    var pin: [String] = []

    var isGiven: Bool { user != nil || tokenFile != nil || !pin.isEmpty }

    func validate() throws {
        if (user == nil) != (passwordFile == nil) {
            throw ValidationError("--user and --password-file belong together.")
        }
        if user != nil, tokenFile != nil { throw ValidationError("Log in with --user or with --token-file.") }
        do throws(StorageError) {
            _ = try pins()
        } catch {
            throw ValidationError(error.message)
        }
    }

    func pins() throws(StorageError) -> [CertificatePin] {
        try pin.map { text throws(StorageError) in try CertificatePin(text) }
    }

    func authenticator(asJSON: Bool) throws(StorageError) -> Authenticator? {
        if let user, let passwordFile {
            return .basic(user, try SecretFile.read(passwordFile, asJSON: asJSON))
        }
        guard let tokenFile else { return nil }
        let first = try SecretFile.read(tokenFile, asJSON: asJSON)
        return .bearer { isRenewal in try isRenewal ? SecretFile.read(tokenFile, asJSON: asJSON) : first }
    }
}
#endif
