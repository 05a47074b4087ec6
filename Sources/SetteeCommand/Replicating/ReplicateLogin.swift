#if Sync
internal import ArgumentParser
internal import Settee
internal import SetteeReplicator

/// How `settee replicate` logs in. Secrets are never arguments, because all users of the machine can see arguments.
struct ReplicateLogin: ParsableArguments {
    @Option(help: "The user at the server. Needs --password-file.")
    var user: String?
    @Option(help: "A file with the password; - for standard input.", completion: .file())
    var passwordFile: String?
    @Flag(help: "Begin a session with the password, and send the session's cookie from then on.")
    var session = false
    @Option(
        help: "A file with a bearer token. It is read again when the server refuses the token.",
        completion: .file()
    )
    var tokenFile: String?
    @Option(
        help: ArgumentHelp(
            "A file with the secrets of OAuth 1, as JSON.",
            discussion: "Its members are consumer_key, consumer_secret, token and token_secret.",
            valueName: "file"
        ),
        completion: .file()
    )
    var oauthFile: String?
    @Option(
        help: ArgumentHelp(
            "A file that keeps the tokens of OpenID Connect at a Sync Gateway. Made if it is not there.",
            discussion: "Where they do not do, it shows the page of the login, and reads where the browser ended.",
            valueName: "file"
        ),
        completion: .file()
    )
    var openidFile: String?
    @Flag(help: "Log in over plain HTTP at another computer, although everybody on the way can read that.")
    var allowInsecureLogin = false

    private var ways: [String] {
        [("--user", user), ("--token-file", tokenFile), ("--oauth-file", oauthFile), ("--openid-file", openidFile)]
            .compactMap { $0.1 == nil ? nil : $0.0 }
    }

    var isGiven: Bool { !ways.isEmpty || allowInsecureLogin }

    func validate() throws {
        if (user == nil) != (passwordFile == nil) {
            throw ValidationError("--user and --password-file belong together.")
        }
        if session, user == nil { throw ValidationError("--session is for a --user.") }
        if ways.count > 1 { throw ValidationError("\(ways.joined(separator: " and ")) exclude each other.") }
        if user?.utf8.contains(UInt8(ascii: ":")) == true { throw ValidationError("No user's name has a colon.") }
    }

    func authenticator(asJSON: Bool) throws(StorageError) -> Authenticator? {
        if let user, let passwordFile {
            let password = try SecretFile.read(passwordFile, asJSON: asJSON)
            return session ? .session(user, password) : .basic(user, password)
        }
        if let oauthFile { return .oauth1(try OAuthCredentials(file: oauthFile, asJSON: asJSON)) }
        if let openidFile { return try OpenIDFile(openidFile, asJSON: asJSON).authenticator }
        guard let tokenFile else { return nil }
        let first = try SecretFile.read(tokenFile, asJSON: asJSON)
        return .bearer { isRenewal in try isRenewal ? SecretFile.read(tokenFile, asJSON: asJSON) : first }
    }
}
#endif
