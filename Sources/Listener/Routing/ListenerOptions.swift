/// What requests may take.
struct ListenerOptions: Sendable {
    /// The highest number of bytes in the JSON of a document.
    var documentBytes = 32 << 20
    /// The highest number of bytes in the JSON of a request about many documents. All of it is in memory.
    var bulkBytes = 64 << 20
    /// The highest number of bytes in the body of `_bulk_docs`. Its documents are saved as they arrive.
    var bulkDocumentsBytes = 256 << 20
    /// About how much memory the bodies of all requests may take, with what is made of them, and those of one.
    var memoryBytes = 1 << 30
    var requestMemoryBytes = 512 << 20
    /// The highest number of bytes in the content of an attachment, and of those that it decodes to.
    var attachmentBytes: UInt64 = 4 << 30
    /// The number of threads that read and write, and of the calls that may wait for them.
    var threads = 4
    var waitingCalls = 1_000
    /// The highest number of feeds that wait for changes.
    var feeds = 5_000
    /// The highest number of replications that clients have ordered and that have not ended.
    var replications = 100
    /// The time after which a feed without a change ends, in milliseconds.
    var feedTimeout = 60_000
}
