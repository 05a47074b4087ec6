/// Looks whether a log has commits that SQLite does not take in.
package enum LogDamage {
    /// What is wrong with the log at a path, of which nobody has a connection; nil where nothing is, or where there is none.
    package static func text(at path: String) -> String? {
        guard let log = LogFile(path) else { return nil }
        switch LogScan.damage(in: log) {
        case nil: return nil
        case .header: return "its header is damaged, and nothing of it can be used"
        case .frames(let first, let commits):
            return "frame \(first) is damaged, and at least \(commits) commits after it are lost"
        }
    }
}
