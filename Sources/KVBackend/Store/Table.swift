/// The tables of a store. Their content is described in docs/internals/kv-engine.md.
enum Table: Int, CaseIterable, Sendable {
    case meta
    case documents
    case sequences
    case bodies
    case hidden
    case locals
    case info
    case expirations
    case expiries
    case blobs
    case indexes
    case rows
    case emitted
    case entries
    case chunks
    case dictionaries
    case dropped

    /// The table's name in the file.
    var name: String {
        switch self {
        case .meta: "meta"
        case .documents: "documents"
        case .sequences: "sequences"
        case .bodies: "bodies"
        case .hidden: "hidden"
        case .locals: "locals"
        case .info: "info"
        case .expirations: "expirations"
        case .expiries: "expiries"
        case .blobs: "blobs"
        case .indexes: "indexes"
        case .rows: "rows"
        case .emitted: "emitted"
        case .entries: "entries"
        case .chunks: "chunks"
        case .dictionaries: "dictionaries"
        case .dropped: "dropped"
        }
    }
}
