internal import SetteeDocumentValues
internal import StorageProtocol

/// Steps through the elements of an array or the names of an object, in canonical text that is passed to each step.
/// Stops where the text is damaged.
struct ContainerCursor {
    private static let whole = JSONPointer(names: [])

    /// Behind the opening bracket, or behind the comma that follows the previous element.
    private var position = 1

    /// Returns the bytes of the next element of an array.
    mutating func element(in array: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Range<Int>? {
        try workspace.count(Workspace.step)
        guard let element = value(in: array) else { return nil }
        skip(UInt8(ascii: ","), in: array)
        return element
    }

    /// Returns the bytes of the next member's name, with its quotes.
    mutating func name(in object: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Range<Int>? {
        try workspace.count(Workspace.step)
        guard let name = value(in: object), skip(UInt8(ascii: ":"), in: object), value(in: object) != nil else {
            return nil
        }
        skip(UInt8(ascii: ","), in: object)
        return name
    }

    /// Moves past a value. Nil at a closing bracket.
    private mutating func value(in text: RawSpan) -> Range<Int>? {
        guard position < text.byteCount,
            let found = JSONScanner.range(of: ContainerCursor.whole, in: text.extracting(position..<text.byteCount))
        else { return nil }
        let start = position
        position += found.upperBound
        return start..<position
    }

    @discardableResult
    private mutating func skip(_ byte: UInt8, in text: RawSpan) -> Bool {
        guard position < text.byteCount, unsafe text.unsafeLoad(fromByteOffset: position, as: UInt8.self) == byte else {
            return false
        }
        position += 1
        return true
    }
}
