internal import SetteeDocumentValues
internal import StorageProtocol

/// Reads what a function has written: the text of an array with an element for each document.
struct OutputReader: ~Copyable {
    private var parser: JSONParser

    /// - Throws: if it is no JSON that can be stored, which one document's rows may cause.
    init(_ frame: [UInt8], _ range: Range<Int>) throws(CallFault) {
        parser = JSONParser(limit: max(range.count, 1))
        do throws(StorageError) {
            try unsafe parser.parse(frame.span.extracting(range).bytes)
        } catch {
            let message = "What the function makes is no JSON that can be stored. It may be nested too deeply."
            throw CallFault(error: .thrown(message))
        }
    }

    /// - Returns: nil if there are not as many elements, or one of them cannot be.
    func elements<Outcome>(
        _ count: Int,
        _ decode: (borrowing JSONParser, JSONNode) -> Result<Outcome, JavaScriptError>?
    ) -> [Result<Outcome, JavaScriptError>]? {
        guard let root = parser.root, parser.kind(of: root) == .array, parser.count(of: root) == count else {
            return nil
        }
        var elements: [Result<Outcome, JavaScriptError>] = []
        elements.reserveCapacity(count)
        parser.forEachElement(of: root) { node in
            if let message = parser.string(of: node) {
                elements.append(.failure(.thrown(message.cut(to: 500))))
            } else if let element = decode(parser, node) {
                elements.append(element)
            }
        }
        return elements.count == count ? elements : nil
    }
}
