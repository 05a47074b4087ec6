import FuzzDriver
import SetteeDocumentValues
import StorageProtocol

/// Splits a stream twice, whole and in small chunks; both must give the same. The first byte chooses the layout, the
/// pointer, the limit and the chunks. Pointer look-ups in the raw text must stay inside it.
private func fuzzSplitter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = bytes.first else { return 0 }
    let text = Array(bytes.dropFirst())
    let layouts: [JSONElementSplitter.Layout] = [.automatic, .values, .array, .members]
    let layout = layouts[Int(choice & 3)]
    let pointer = JSONPointer(names: choice & 4 == 0 ? [] : ["a", "0"])
    let limit = choice & 8 == 0 ? 1 << 20 : 24
    let chunk = 1 + Int(choice >> 4)
    let whole = split(text, layout, pointer, limit, chunk: max(1, text.count))
    let parts = split(text, layout, pointer, limit, chunk: chunk)
    // Over the limit it depends on the chunks when an element is given up.
    if limit > 24 { precondition(whole == parts, "chunks make a difference") }
    if let range = JSONScanner.range(of: JSONPointer(names: ["a", "0"]), in: text.span.bytes) {
        precondition(range.upperBound <= text.count, "the scanner has left the text")
    }
    return 0
}

private func split(
    _ text: [UInt8],
    _ layout: JSONElementSplitter.Layout,
    _ pointer: JSONPointer,
    _ limit: Int,
    chunk: Int
) -> [JSONElementSplitter.Element] {
    var splitter = JSONElementSplitter(layout: layout, at: pointer, limit: limit)
    var elements: [JSONElementSplitter.Element] = []
    var position = 0
    do {
        while position < text.count {
            let end = min(text.count, position + chunk)
            splitter.append(Array(text[position..<end]))
            position = end
            while let element = try splitter.next() { elements.append(element) }
        }
        splitter.finish()
        while let element = try splitter.next() { elements.append(element) }
    } catch {
        precondition(error.code == .badJSON || error.code == .badParameter || error.code == .tooLarge)
    }
    return elements
}

@main
enum FuzzSplitter {
    static func main() {
        fuzz { fuzzSplitter($0, $1) }
    }
}
