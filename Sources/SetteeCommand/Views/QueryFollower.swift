internal import Settee
internal import StorageProtocol

/// Prints the rows of a query, then rows as they disappear and appear, until it is stopped.
enum QueryFollower {
    /// Returns when a signal requests it, or the reader of the output is gone.
    static func run(_ query: DatabaseQuery, _ printer: Printer) throws {
        // The rows already printed, without their closing braces.
        let follower = LiveFollower<[[UInt8]]>(printer, [])
        try DesignViews.run {
            try follower.run {
                let listener = query.live().addListener { result in
                    follower.show(
                        { try result.get().map { try $0.line(includesDocument: query.includeDocs).open } },
                        print
                    )
                }
                return { listener.remove() }
            }
        }
    }

    /// Prints the difference between two results: first the rows that are gone, then the new ones.
    private static func print(_ new: [[UInt8]], after old: [[UInt8]], _ printer: Printer) throws(StorageError) {
        for row in rows(of: old, without: new) { try printer.line(bytes: row + Array(#","removed":true}"#.utf8)) }
        for row in rows(of: new, without: old) { try printer.line(bytes: row + [UInt8(ascii: "}")]) }
    }

    /// Returns the rows of `a` that are not in `b`. A row that is in both several times is counted each time.
    private static func rows(of a: [[UInt8]], without b: [[UInt8]]) -> [[UInt8]] {
        var counts: [[UInt8]: Int] = [:]
        for row in b { counts[row, default: 0] += 1 }
        return a.filter { row in
            guard let count = counts[row], count > 0 else { return true }
            counts[row] = count - 1
            return false
        }
    }
}
