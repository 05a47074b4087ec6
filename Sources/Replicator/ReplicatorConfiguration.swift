public import SetteeDocumentValues
public import SetteeEngine

/// What is replicated with what, and how.
///
/// ```swift
/// var setup = ReplicatorConfiguration(database: database, target: .url("https://example.com/orders"))
/// setup.direction = .pull
/// setup.isContinuous = true
/// setup.pull.channels = ["sales"]
/// let replicator = Replicator(setup)
/// ```
public struct ReplicatorConfiguration: Sendable {
    /// The database here.
    public var database: Database
    /// The other side.
    public var target: ReplicatorTarget
    public var direction = ReplicationDirection.pushAndPull
    /// Whether it goes on after the changes that there are, with those to come.
    public var isContinuous = false
    /// How it logs in; nil: not at all, or with user and password of the URL.
    public var authenticator: Authenticator?
    /// Whom to trust over TLS, and the client's certificate.
    public var trust = ServerTrust()
    /// The certificates that the server may have, those of `trust`.
    public var pins: [CertificatePin] {
        get { trust.pins }
        set { trust.pins = newValue }
    }
    /// Whether secrets may be sent over HTTP to another computer, where everybody on the way can read them.
    public var allowsInsecureLogin = false
    /// What is pulled.
    public var pull = PullOptions()
    /// What is pushed.
    public var push = PushOptions()
    /// Only these documents; nil: all.
    public var documentIDs: [String]?
    /// Only documents that this selector of CouchDB's query language accepts; nil: all. A server that knows no
    /// selectors refuses a pull with one.
    public var selector: JSONObject?
    /// What the checkpoints call the other side instead of its URL, for one whose address changes.
    public var remoteUUID: String?
    /// Whether a push makes the database at the other side if it is not there.
    public var createsTarget = false
    /// Headers of every request, such as `["X-Tenant": "north"]`. They are not sent to another origin.
    public var headers: [String: String] = [:]
    /// Whether it begins at the first change, whatever the checkpoints say. Documents that both sides have are not sent
    /// again.
    public var resetsCheckpoint = false
    /// What becomes of conflicts that pulled revisions make; nil: they stay.
    public var conflictResolver: ConflictResolver?
    /// Whether a run that pulls begins with the conflicts that the database has by then, of whatever documents and from
    /// wherever: they are offered to the resolver, too. Of these nobody knows which revision was pulled: for `mine` and
    /// `theirs` the current one stays.
    public var resolvesEarlierConflicts = false
    /// Makes what judges revisions, after its own validations, before the database here or a target that is one stores
    /// them.
    package var validation: (@Sendable () throws -> Validation?)?
    /// The longest time in which a continuous replication does not try again after a failure that may pass. It begins
    /// with one second and doubles.
    public var longestRetryDelay = Duration.seconds(300)

    public init(database: Database, target: ReplicatorTarget) {
        self.database = database
        self.target = target
    }
}
