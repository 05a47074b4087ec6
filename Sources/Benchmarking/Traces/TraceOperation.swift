/// The kinds of operations in a trace: the values of `op` (docs/reference/traces.md).
public enum TraceOperation: String, CaseIterable, Sendable {
    case open
    case close
    case begin
    case commit
    case rollback
    case put
    case insert
    case purge
    case prune
    case putLocal
    case removeLocal
    case expire
    case get
    case leaves
    case snapshot
    case snapshotEnd
    case list
    case changes
    case define
    case index
    case query
    case undefine
    case dropIndex
    case stage
    case read
    case compact
}
