internal import StorageProtocol

/// How a damaged store may list its content.
public enum ListingDisorder: Sendable, CaseIterable {
    /// From the beginning, wherever a listing should begin.
    case fromTheStart
    /// Everything twice.
    case twice
}

extension ListingDisorder? {
    func range(_ range: ByteRange, descending: Bool) -> ByteRange {
        guard self == .fromTheStart else { return range }
        return descending ? ByteRange(lower: range.lower) : ByteRange(upper: range.upper)
    }

    func range(_ range: IndexRange, descending: Bool) -> IndexRange {
        guard self == .fromTheStart else { return range }
        return descending ? IndexRange(lower: range.lower) : IndexRange(upper: range.upper)
    }

    func range(_ range: ClosedRange<UInt64>, descending: Bool) -> ClosedRange<UInt64> {
        guard self == .fromTheStart else { return range }
        return descending ? range.lowerBound...UInt64(Int64.max) : 0...range.upperBound
    }

    /// Runs the code that passes on one row.
    func hand(_ body: () throws(StorageError) -> Bool) throws(StorageError) -> Bool {
        guard try body() else { return false }
        return self == .twice ? try body() : true
    }
}
