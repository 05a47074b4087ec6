import FuzzDriver
import SetteeCouchProtocol

/// Inflates the bytes, and compresses and inflates them. The first byte chooses the format, the limits and the pieces.
private func fuzzGzip(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = bytes.first else { return 0 }
    let text = Array(bytes.dropFirst())
    let format: CompressionFormat = choice & 1 == 0 ? .gzip : .zlib
    let piece = 1 + Int(choice >> 2) % 16
    if choice & 2 == 0 {
        inflateForeign(text, format, piece)
    } else {
        inflateOwn(text, format, piece, level: 1 + Int(choice >> 4) % 9)
    }
    return 0
}

/// What is anybody's inflates to the same in whole and in pieces, and to no more than the limits allow.
private func inflateForeign(_ text: [UInt8], _ format: CompressionFormat, _ piece: Int) {
    let whole = Inflation(text, format, InflationLimits(bytes: 1 << 20, ratio: .max), piece: max(1, text.count))
    let pieces = Inflation(text, format, InflationLimits(bytes: 1 << 20, ratio: .max), piece: piece)
    // Before an error it depends on the pieces how much has been passed on.
    precondition(whole.isComplete == pieces.isComplete, "the pieces make a difference")
    precondition(!whole.isComplete || whole.content == pieces.content, "the content is another one")

    let limits = InflationLimits(bytes: 100_000, ratio: 10, freeBytes: 1_000)
    let limited = Inflation(text, format, limits, piece: piece)
    precondition(limited.content.count <= max(1_000, 10 * text.count), "the ratio does not count")
    precondition(limited.content.count <= 100_000, "the limit does not count")
    precondition(whole.content.starts(with: limited.content) || !whole.isComplete, "the limits change the content")
}

/// What was compressed here comes back, several members in a row, too, and never where the end is missing.
private func inflateOwn(_ text: [UInt8], _ format: CompressionFormat, _ piece: Int, level: Int) {
    let limits = InflationLimits(bytes: 1 << 20, ratio: .max)
    let once = deflated(text, format, piece, level)
    let twice = once + deflated(text, format, max(1, text.count), 10 - level)
    let one = Inflation(once, format, limits, piece: piece)
    precondition(one.isComplete && one.content == text, "the content is another one")
    let two = Inflation(twice, format, limits, piece: piece)
    precondition(two.isComplete == (format == .gzip), "several members")
    precondition(!two.isComplete || two.content == text + text, "the members' content is another one")
    let cut = Int(text.first ?? 0) % once.count
    precondition(!Inflation(Array(once[..<cut]), format, limits, piece: piece).isComplete, "no end, and yet an end")
}

private func deflated(_ text: [UInt8], _ format: CompressionFormat, _ piece: Int, _ level: Int) -> [UInt8] {
    var compressed: [UInt8] = []
    do throws(CouchError) {
        let deflater = try GzipDeflater(format, level: level)
        for place in stride(from: 0, to: text.count, by: piece) {
            let bytes = Array(text[place..<min(text.count, place + piece)])
            try deflater.push(bytes.span.bytes) { (made) throws(CouchError) in append(made, to: &compressed) }
        }
        try deflater.finish { (made) throws(CouchError) in append(made, to: &compressed) }
    } catch {
        fatalError("it cannot be compressed")
    }
    return compressed
}

func append(_ bytes: RawSpan, to text: inout [UInt8]) {
    precondition(1...(1 << 16) ~= bytes.byteCount, "a piece of another size")
    bytes.withUnsafeBytes { text += $0 }
}

@main
enum FuzzGzip {
    static func main() {
        fuzz { fuzzGzip($0, $1) }
    }
}
