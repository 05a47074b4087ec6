/// What a route needs. A POST that only reads needs no more than a GET: `_changes`, `_all_docs`, `_revs_diff`,
/// `_missing_revs`, `_bulk_get`, `_find` are `databaseRead`.
package enum AccessRight: Sendable, CaseIterable {
    /// Nothing, not even a login: `/`, `_session`, `_up`.
    case open
    /// To read what belongs to no database: `_all_dbs`, `_uuids`, and paths that do not exist.
    case serverRead
    /// To read what is for administrators: `_active_tasks`, metrics.
    case serverInspect
    /// To change the server: PUT and DELETE of a database, `_replicate`.
    case serverAdmin
    /// To read a database, its `_security` included.
    case databaseRead
    /// To store checkpoints of replications (`_local/...`), which readers need.
    case localWrite
    /// To write documents and attachments.
    case databaseWrite
    /// To change what concerns a whole database: `_design/...`, `_security`, `_compact`, `_purge`, `_revs_limit`, and
    /// to run `_temp_view`.
    case databaseAdmin

    /// Whether a read-only listener refuses it.
    var changesData: Bool {
        switch self {
        case .serverAdmin, .databaseWrite, .databaseAdmin: true
        case .open, .serverRead, .serverInspect, .databaseRead, .localWrite: false
        }
    }

    /// Whether a user with such roles may do it, before `_security` has its say.
    func isGiven(to user: UserContext) -> Bool {
        switch self {
        case .open: true
        case .serverRead, .databaseRead, .localWrite: user.isReader
        case .databaseWrite, .databaseAdmin: user.isWriter
        case .serverInspect, .serverAdmin: user.isAdmin
        }
    }
}
