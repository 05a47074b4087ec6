#if Sync
internal import Settee
internal import SetteeReplicator

extension OAuthCredentials {
    /// Reads a file of JSON with the members that CouchDB calls them by.
    init(file: String, asJSON: Bool) throws(StorageError) {
        let names = ["consumer_key", "consumer_secret", "token", "token_secret"]
        let members = try SecretFile.members(file, names, asJSON: asJSON)
        func member(_ name: String) -> String { members[name] ?? "" }
        self.init(
            consumerKey: member("consumer_key"),
            consumerSecret: member("consumer_secret"),
            token: member("token"),
            tokenSecret: member("token_secret")
        )
    }
}
#endif
