internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import StorageProtocol

extension LocalPeer {
    /// The configured database as the source of a push, with what the configuration leaves out.
    ///
    /// - Throws: `ReplicationError` with `badConfiguration` for a filter that nobody has set, or a selector that is
    ///   none.
    static func source(of configuration: ReplicatorConfiguration) throws(ReplicationError) -> LocalPeer {
        var filter = LocalFilter()
        filter.documentIDs = configuration.documentIDs.map { ids in Set(ids.map { DocumentID(unchecked: $0) }) }
        do throws(StorageError) {
            filter.selector = try configuration.selector.map { (selector) throws(StorageError) in
                try MangoSelector(.object(selector))
            }
        } catch {
            throw ReplicationError(.badConfiguration, status: error.status, error.message)
        }
        switch configuration.push.filter {
        case nil: break
        case .function(_, let function): filter.function = { try function($0, JSONObject()) }
        case .named(let name, let parameters):
            guard let named = configuration.database.filter(named: name) else {
                throw ReplicationError(.badConfiguration, "The database has no filter of the name that is to be used.")
            }
            filter.function = { try named.function($0, parameters) }
        }
        return LocalPeer(configuration.database, filter: filter)
    }
}
