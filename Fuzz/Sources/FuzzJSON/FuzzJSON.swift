import FuzzDriver
import SetteeDocumentValues
import StorageProtocol

/// Reads a text; what is accepted must keep its meaning through every writer.
private func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    var parser = JSONParser()
    guard (try? parser.parse(text.span.bytes)) != nil, let root = parser.root else { return 0 }

    var canonical: [UInt8] = []
    parser.writeCanonical(root, into: &canonical)
    let value = parser.value(of: root)
    guard let written = try? value.canonicalBytes() else { fatalError("what was read cannot be written") }
    precondition(written == canonical, "the two writers differ")

    var body: [UInt8] = []
    if parser.kind(of: root) == .object {
        guard (try? parser.writeDocumentBody(into: &body)) != nil else { fatalError("an object has no body") }
        precondition(parser.hasReservedMembers || body == canonical, "the body differs")
        parser.forEachMember(of: root) { name, node in
            guard let found = parser.member(name, of: root) else { fatalError("a member is not found") }
            precondition(found == node, "another member is found")
            let place = JSONScanner.range(of: JSONPointer(names: [name]), in: canonical.span.bytes)
            var expected: [UInt8] = []
            parser.writeCanonical(node, into: &expected)
            precondition(place.map { Array(canonical[$0]) } == expected, "the scanner finds something else")
        }
    }

    guard (try? parser.parse(canonical.span.bytes)) != nil, let again = parser.root else {
        fatalError("canonical text is refused")
    }
    precondition(parser.value(of: again) == value, "the meaning has changed")
    var second: [UInt8] = []
    parser.writeCanonical(again, into: &second)
    precondition(second == canonical, "canonical text is not its own canonical text")
    return 0
}

@main
enum FuzzJSON {
    static func main() {
        fuzz { fuzzJSON($0, $1) }
    }
}
