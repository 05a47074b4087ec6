extension MultipartReader {
    /// Looks for the delimiter, and passes on what comes before it.
    ///
    /// - Returns: Whether it was found. Then `place` is behind it, else at the end.
    mutating func scan(
        _ bytes: RawSpan,
        _ place: inout Int,
        _ handler: inout some MultipartHandler
    ) throws(CouchError) -> Bool {
        // The first byte of this piece that has not been passed on.
        let start = place
        while place < bytes.byteCount {
            if matched == 0 {
                guard bytes.find(ASCII.carriageReturn, from: &place) else { break }
                matched = 1
                continue
            }
            if bytes[place] == delimiter[matched] {
                matched += 1
                place += 1
                guard matched == delimiter.count else { continue }
                try pass(bytes, start..<(place - (matched - carried)), to: &handler)
                (matched, carried, borrowed) = (0, 0, 0)
                return true
            }
            // What was matched is content after all. This byte is looked at again, since it may be a CR.
            let released = borrowed..<carried
            (matched, carried, borrowed) = (0, 0, 0)
            try unsafe pass(delimiter.span.bytes, released, to: &handler)
        }
        try pass(bytes, start..<(place - (matched - carried)), to: &handler)
        carried = matched
        return false
    }

    /// Looks for the first delimiter, and skips what comes before it.
    mutating func skip(_ bytes: RawSpan, _ place: inout Int) throws(CouchError) -> Bool {
        var nowhere = DiscardedText()
        return try scan(bytes, &place, &nowhere)
    }

    private func pass(
        _ bytes: RawSpan,
        _ range: Range<Int>,
        to handler: inout some MultipartHandler
    ) throws(CouchError) {
        guard !range.isEmpty else { return }
        try handler.content(bytes.extracting(range))
    }
}
