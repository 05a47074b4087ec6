public import SetteeDocumentValues
public import SetteeEngine

/// What a replication pulls.
public struct PullOptions: Sendable {
    /// Decides about each revision that has come, before it is stored. What it does not take is not asked for again
    /// before the document changes.
    public typealias Filter = @Sendable (PulledRevision) throws -> Bool

    /// Only the documents of these channels of Sync Gateway; empty: all that the user may see.
    public var channels: [String] = []
    /// Which revisions are taken; nil: all.
    public var filter: Filter?
    /// A filter function of the other side; nil: none.
    public var remoteFilter: RemoteFilter?

    public init() {}
}

/// A filter function of a server.
public struct RemoteFilter: Sendable, Equatable {
    /// As `design/name`, or a name that the server knows.
    public var name: String
    /// What the function gets in the query.
    public var parameters: JSONObject

    public init(_ name: String, _ parameters: JSONObject = JSONObject()) {
        self.name = name
        self.parameters = parameters
    }
}

/// A revision that was pulled and is not stored yet.
public struct PulledRevision: Sendable {
    public let documentID: String
    /// The ID of the revision, as `3-917fa23…`.
    public let revisionID: String
    /// Whether it is a tombstone.
    public let isDeleted: Bool
    /// The body as JSON in UTF-8, without `_id` and `_rev`.
    public let json: [UInt8]

    /// The body, parsed at each access; empty if it cannot be read.
    public var properties: JSONObject { (try? JSONValue(parsing: json))?.objectValue ?? JSONObject() }
}

/// What a replication pushes.
public struct PushOptions: Sendable {
    /// Which documents are pushed; nil: all.
    public var filter: PushFilter?

    public init() {}
}

/// Decides by its current revision, whether a document is pushed.
public enum PushFilter: Sendable {
    /// A function of `Database.setFilter`, with parameters. Another version of it begins anew, as do others.
    case named(String, JSONObject = JSONObject())
    /// A closure. Give it another version when it decides otherwise, so that the replication begins anew.
    case function(version: String = "1", SetteeEngine.Filter)
}
