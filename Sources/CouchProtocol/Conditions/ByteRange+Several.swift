extension ByteRange {
    /// More ranges than these are refused by CouchDB, too.
    private static let mostRanges = 9

    /// Reads a Range header with several ranges.
    ///
    /// - Parameters:
    ///   - header: such as `bytes=0-4,10-,-5`.
    ///   - length: The number of bytes in the content.
    /// - Returns: The ranges that have bytes, in their order. Nil if there is one range only, and if the whole content
    ///   is to be sent: for more than nine ranges, for ranges that have more bytes together than the content, other
    ///   units, and what is malformed.
    /// - Throws: `requested_range_not_satisfiable` (416) if no range has bytes.
    public static func several(_ header: String, of length: UInt64) throws(CouchError) -> [ByteRange]? {
        let parts = header.split(separator: ",", omittingEmptySubsequences: false)
        guard 2...mostRanges ~= parts.count, let equals = parts[0].firstIndex(of: "=") else { return nil }
        let unit = parts[0][...equals]
        var ranges: [ByteRange] = []
        var bytes: UInt64 = 0
        for (place, part) in parts.enumerated() {
            do throws(CouchError) {
                let text = place == 0 ? String(part) : String(unit + part)
                guard let range = try requested(text, of: length) else { return nil }
                let (sum, overflow) = bytes.addingReportingOverflow(range.count)
                guard !overflow, sum <= length else { return nil }
                bytes = sum
                ranges.append(range)
            } catch {
                guard error == .rangeNotSatisfiable else { throw error }
            }
        }
        guard !ranges.isEmpty else { throw .rangeNotSatisfiable }
        return ranges
    }
}
