internal import StorageProtocol

extension OrderedCursor {
    /// Moves to the first entry within a lower bound. Returns false if there is none.
    @inline(__always)
    func seek(first lower: ByteRange.Bound) throws(StorageError) -> Bool {
        try unsafe lower.withBytes { (bound, isIncluded) throws(StorageError) in
            guard let bound = unsafe bound else { return try seek(.first) }
            guard try unsafe seek(.atOrAfter(bound)) else { return false }
            return unsafe isIncluded || !key.equals(bound) ? true : try next()
        }
    }

    /// Moves to the last entry within an upper bound. Returns false if there is none.
    @inline(__always)
    func seek(last upper: ByteRange.Bound) throws(StorageError) -> Bool {
        try unsafe upper.withBytes { (bound, isIncluded) throws(StorageError) in
            guard let bound = unsafe bound else { return try seek(.last) }
            if isIncluded, try unsafe seek(.atOrAfter(bound)), unsafe key.equals(bound) { return true }
            return try unsafe seek(.before(bound))
        }
    }
}

extension OrderedCursor {
    /// How many entries are removed between two checks of the time: a few, because each may have 1 MiB.
    private static var entriesBetweenLooks: Int { 16 }

    /// Removes the entries whose keys are in `range`, one by one. If some are left, the cursor then stands on the
    /// first.
    ///
    /// - Parameters:
    ///   - end: When to stop, after a few; nil: never.
    ///   - most: How many are removed at most.
    func removeEntries(
        in range: ByteRange,
        until end: ContinuousClock.Instant?,
        most: Int = .max
    ) throws(StorageError) -> RangeRemoval {
        var isThere = try seek(first: range.lower)
        var order = KeyOrder()
        var removed = 0
        let isComplete = try unsafe range.upper.withBytes { (bound, isIncluded) throws(StorageError) in
            while isThere {
                // Otherwise entries behind the range would be removed.
                try unsafe order.pass(key)
                if let bound = unsafe bound {
                    let order = unsafe compareBytes(key.bytes, bound.bytes)
                    if order > 0 || order == 0 && !isIncluded { return true }
                }
                if removed == most { return false }
                if let end, removed > 0, removed % Self.entriesBetweenLooks == 0, ContinuousClock.now >= end {
                    return false
                }
                try remove()
                removed += 1
                isThere = try next()
            }
            return true
        }
        return RangeRemoval(isComplete: isComplete, hasRemoved: removed > 0)
    }
}

extension ByteRange.Bound {
    /// Passes the bytes of the bound to `body`, or nil for an open one.
    @inline(__always)
    func withBytes<R>(
        _ body: (_ bound: UnsafeRawBufferPointer?, _ isIncluded: Bool) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        switch self {
        case .open: try body(nil, false)
        case .including(let bytes):
            try unsafe bytes.withRawBytes { (bytes) throws(StorageError) in try unsafe body(bytes, true) }
        case .excluding(let bytes):
            try unsafe bytes.withRawBytes { (bytes) throws(StorageError) in try unsafe body(bytes, false) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        unsafe count == other.count && compareBytes(bytes, other.bytes) == 0
    }
}
