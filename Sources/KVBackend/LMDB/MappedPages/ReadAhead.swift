/// Tells what a cursor that moves forward through neighbouring pages will read next, where the system does not read
/// ahead by itself.
///
/// That is one call for each window of pages. A cursor whose leaves are spread over the file, or that reads only a few
/// of them, asks for nothing.
struct ReadAhead {
    /// In pages.
    private static let window: UInt64 = 256
    /// How far away the next leaf of a table may be to count as a neighbour. Pages of other tables, which the same
    /// transactions write, lie in between.
    private static let gap: UInt64 = 64
    private static let leavesBefore = 3

    private var last: UInt64 = 0
    private var neighbours = 0
    /// The page after those that were asked for.
    private var end: UInt64 = 0

    /// Called when the cursor has entered a leaf. Returns pages that it is going to read, if they were not told before.
    mutating func pages(after leaf: UInt64) -> Range<UInt64>? {
        let isNeighbour = leaf > last && leaf - last <= Self.gap
        last = leaf
        guard isNeighbour else {
            neighbours = 0
            end = 0
            return nil
        }
        neighbours += 1
        guard neighbours >= Self.leavesBefore, leaf + Self.window / 2 >= end else { return nil }
        let start = max(end, leaf + 1)
        end = start + Self.window
        return start..<end
    }
}
