public import SetteeJavaScript
public import StorageProtocol

/// Where a listener listens, for whom, and how much it takes.
///
/// ```swift
/// var configuration = ListenerConfiguration(port: 5984)
/// configuration.access.users = try .file("/etc/settee/users")
/// ```
public struct ListenerConfiguration: Sendable {
    /// A name or an address. One that other machines reach needs users, or `AccessConfiguration.allowsAnyone`.
    public var host: String
    /// 0: any free port, which `Listener.url` tells.
    public var port: Int
    /// Nil: HTTP without encryption.
    public var tls: ListenerTLS?
    /// Who may use it, and for what.
    public var access: AccessConfiguration
    /// Opens the encrypted databases. Those of another key are answered 403; those that are not encrypted need none.
    public var key: StorageKey?
    /// Encrypts databases that clients make, and opens them. Nil: with `key`, clients can make none (403), since they
    /// would not be encrypted; without, they are made so.
    public var newDatabaseKey: StorageKey?
    /// Where functions of design documents run, and what they may use. Without the program `settee-js` and its library
    /// everything else works, and requests that need functions are answered 501 with what to install.
    public var javaScript = JavaScriptConfiguration()
    /// Carries out what administrators order with `POST /_replicate`. Nil: such requests are answered 501. With one,
    /// this process sends requests to any address that an administrator names.
    public var replicator: (any ListenerReplicator)?
    /// Whether to keep metrics in memory, and to tell them to administrators at `GET /_node/_local/_prometheus`, in
    /// Prometheus' text format. Else that is answered 501.
    public var keepsMetrics = false
    /// The highest number of connections. A client beyond is answered 503.
    public var connections = 8_192
    /// The highest number of feeds that wait for changes. A request beyond is answered 503.
    public var feeds = 5_000
    /// The highest number of bytes in the JSON of a document.
    public var documentBytes = 32 << 20
    /// The highest number of bytes in the JSON of a request about many documents. All of it is in memory.
    public var bulkBytes = 64 << 20
    /// The highest number of bytes in the body of `_bulk_docs`. Documents are written while the body is read. If
    /// `new_edits` comes after them, or not at all, all are kept in memory until then, and `bulkBytes` is the limit.
    public var bulkDocumentsBytes = 256 << 20

    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        access: AccessConfiguration = AccessConfiguration(),
        tls: ListenerTLS? = nil
    ) {
        self.host = host
        self.port = port
        self.access = access
        self.tls = tls
    }
}
