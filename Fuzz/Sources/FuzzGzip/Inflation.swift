import SetteeCouchProtocol

/// What compressed bytes inflate to.
struct Inflation {
    private(set) var content: [UInt8] = []
    /// Whether they have an end, and no errors.
    private(set) var isComplete = false

    init(_ text: [UInt8], _ format: CompressionFormat, _ limits: InflationLimits, piece: Int) {
        do throws(CouchError) {
            let inflater = try GzipInflater(format, limits: limits)
            for place in stride(from: 0, to: text.count, by: piece) {
                let bytes = Array(text[place..<min(text.count, place + piece)])
                var made: [UInt8] = []
                try inflater.push(bytes.span.bytes) { (bytes) throws(CouchError) in append(bytes, to: &made) }
                content += made
            }
            try inflater.finish()
            isComplete = true
            precondition(inflater.inflatedBytes == UInt64(content.count), "the count is another one")
        } catch {
            precondition(error.status == 400 || error.status == 413, "another error")
        }
    }
}
