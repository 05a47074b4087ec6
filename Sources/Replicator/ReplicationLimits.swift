/// How much a replication does at a time, and how long it waits. Tests take smaller ones.
struct ReplicationLimits: Sendable {
    /// The first pages of a feed have fewer, so that the other stages begin soon.
    var feedRows = 4_000
    var firstFeedRows = 1_000
    var diffRows = 1_000
    var diffs = 4
    var fetchDocuments = 1_000
    var fetches = 6
    var writeRevisions = 1_000
    var writeBytes = 4 << 20
    var writes = 6
    /// A stage makes no more calls to a database here: they would not be faster, and each reader has a cache.
    var localCalls = 2
    var bytesInFlight = 10 << 20
    /// Before the first repetition; it doubles.
    var retryDelay = Duration.milliseconds(500)
    /// How often a stage repeats what failed and may pass. A remote peer repeats its requests by itself.
    var retries = 1
    /// Before a continuous replication begins again; it doubles.
    var restartDelay = Duration.seconds(1)
    /// A request that takes longer makes the next ones smaller.
    var slowRequest = Duration.seconds(10)
    var checkpointInterval = Duration.seconds(5)
    var longestWait = Duration.seconds(60)
    /// So long a replication that is offline waits at least, also if the network changes.
    var shortestOffline = Duration.milliseconds(250)
    var network = NetworkWatcher.shared
    /// How long a replication that ends may take to write its checkpoint.
    var lastCheckpoint = Duration.seconds(5)
}
