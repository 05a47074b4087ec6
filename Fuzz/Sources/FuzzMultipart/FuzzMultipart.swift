import FuzzDriver
import SetteeCouchProtocol

/// Reads a message with the boundary `b` twice, whole and in small pieces; both must find the same. The first byte
/// chooses the limits and the pieces. What is a message keeps its parts when it is written again.
private func fuzzMultipart(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = bytes.first, let boundary = try? MultipartBoundary("b") else { return 0 }
    let text = Array(bytes.dropFirst())
    let limits =
        choice & 1 == 0 ? MultipartLimits() : MultipartLimits(parts: 2, headerBytes: 48, headers: 2)
    let whole = Reading(text, boundary, limits, piece: max(1, text.count))
    let pieces = Reading(text, boundary, limits, piece: 1 + Int(choice >> 1) % 16)
    precondition(whole == pieces, "the pieces make a difference")
    for part in whole.parts {
        precondition(part.fields.count <= 2 * limits.headers, "a part has too many headers")
        precondition(part.fields.reduce(0) { $0 + $1.utf8.count } <= limits.headerBytes, "its headers are too long")
    }
    precondition(whole.parts.count <= limits.parts, "there are too many parts")
    precondition(whole.parts.reduce(0) { $0 + $1.content.count } <= text.count, "content comes from nowhere")
    if whole.error == nil { writeAgain(whole, boundary) }
    return 0
}

private func writeAgain(_ reading: Reading, _ boundary: MultipartBoundary) {
    var writer = MultipartWriter(boundary: boundary)
    var text: [UInt8] = []
    var lengths: [(headers: MultipartHeaders, length: UInt64)] = []
    for (headers, part) in zip(reading.headers, reading.parts) {
        text += writer.head(headers) + part.content
        lengths.append((headers, UInt64(part.content.count)))
    }
    text += writer.end()
    precondition(
        MultipartWriter.length(boundary: boundary, parts: lengths) == UInt64(text.count),
        "the length is another one"
    )
    // A message has at least one part; blanks around values are gone, so that all limits still hold.
    guard !reading.parts.isEmpty else { return }
    let again = Reading(text, boundary, MultipartLimits(headerBytes: 1 << 20), piece: text.count)
    precondition(again.error == nil && again.parts == reading.parts, "the parts have changed")
}

@main
enum FuzzMultipart {
    static func main() {
        fuzz { fuzzMultipart($0, $1) }
    }
}
