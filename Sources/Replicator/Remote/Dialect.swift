/// What a server has shown that it can do, or cannot.
struct Dialect: Sendable {
    var hasBulkGet = true
    var hasRevisionsDiff = true
    var hasFullCommit = true
    /// Whether documents are taken as multipart/related.
    var takesMultipart = true
    /// Sync Gateway has channels, and no feed of document IDs that goes on.
    var isSyncGateway = false
}
