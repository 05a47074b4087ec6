/// A workload to measure: what is done to a database of documents, and what plain C does for comparison.
public struct Workload: Sendable {
    /// The name on the command line and in the result file.
    public let name: String
    let group: Group
    /// One line that says what is done.
    public let summary: String
    /// What is counted, in the plural.
    var unit = "documents"
    /// What the database holds when the clock starts.
    var content = Content.documents
    /// How much of the documents that were asked for it runs with: 10 is a tenth.
    var divisor = 1
    /// How many threads a mix has, and by what the number of documents is divided to get that of its operations.
    var threads = 1
    var operationsDivisor = 1
    /// The most documents it runs with.
    var most = Int.max
    /// What it sets in the place of what was asked for.
    var change = Change()
    var baseline: Counterpart?
    /// Whether it leaves the documents as they are, so that one database can serve several such workloads.
    var onlyReads = false
    var latencyOf = "operation"
    /// Nil: it works on every engine; else the reason why it does not on this one.
    var refusal: @Sendable (EngineTraits) -> String? = { _ in nil }
    /// What the documents must have.
    var place: IndexedPlaces.Kind = .any
    var prepare: @Sendable (WorkloadRun) throws -> Void = { _ in }
    let run: @Sendable (WorkloadRun) throws -> Work

    /// The charts of the page.
    enum Group: String {
        case write, read, query, mix, attachment, space, life
    }

    enum Content {
        case empty
        case documents
        /// Each document was updated once; the old bodies are there.
        case updated
    }

    struct Change {
        var documentBytes: Int?
        var randomIDs: Bool?
        var isFull: Bool?
        var mappingThreads: Int?
    }

    /// What a workload did.
    struct Work {
        var operations: Int
        /// The bytes of documents or contents that were written; nil if none were.
        var bytes: Int?
        /// The rate, where it is not that of the whole run.
        var opsPerSecond: Double?
        /// Whether work of other threads is in the processor time.
        var isBesideOthers = false
        /// Microseconds of the 99th percentile with no other work.
        var idleP99: Double?
    }

    /// What a workload is compared with.
    enum Counterpart {
        /// The plain C program of the engine's library.
        case library(String, leavesOut: String? = nil)
        /// The one of SQLite, on every engine.
        case sqlite(String, leavesOut: String? = nil)
        /// Plain files of so many bytes, synced as attachments are.
        case files(String, bytes: Int)
        /// Another workload on the same engine.
        case workload(String)

        /// What of the work it does not do; nil: nothing.
        var leavesOut: String? {
            switch self {
            case .library(_, let part), .sqlite(_, let part): part
            case .files: "documents, digests and what shares contents"
            case .workload: nil
            }
        }
    }

    /// Returns how many documents it runs with when `count` are asked for.
    func documents(of count: Int) -> Int { max(1, min(count / divisor, most)) }
}

/// What workloads ask of an engine.
struct EngineTraits {
    var name: String
    var hasFiles: Bool
    var isEncrypted: Bool
}
