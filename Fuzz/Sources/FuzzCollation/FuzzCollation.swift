import FuzzDriver
import SetteeDocumentValues
import StorageProtocol

/// Makes the keys of two texts, which a zero byte divides (without one, the second is `null`). Each is refused just
/// where the JSON parser refuses it, or gives a sound key; the order of the keys is that of the values.
private func fuzzCollation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let texts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
    for collator in [Collator.unicode, Collator.raw] {
        guard let first = value(of: texts[0], by: collator) else { continue }
        guard let second = value(of: texts.count > 1 ? texts[1] : Array("null".utf8), by: collator) else { continue }
        let a = requiredKey(of: canonicalText(of: first), by: collator)
        let b = requiredKey(of: canonicalText(of: second), by: collator)
        precondition(a == b || !a.starts(with: b) && !b.starts(with: a), "a key is a prefix of another")
        let expected = ReferenceOrder(collator: collator).compare(first, second)
        precondition(compareBytes(a, b).signum() == expected, "the keys' order is not the values'")
        precondition(compareBytes(b, a).signum() == -expected, "the order is not antisymmetric")
    }
    return 0
}

/// What the text says, nil where it is refused; its key is checked on the way.
private func value(of text: [UInt8], by collator: Collator) -> JSONValue? {
    let value = try? JSONValue(parsing: text)
    let key = collationKey(of: text, by: collator)
    precondition((key != nil) == (value != nil), "the parser and the keys disagree about what is JSON")
    guard let key, let value else { return nil }
    // Members are taken in the text's order, which canonical text may change.
    if !text.contains(UInt8(ascii: "{")) {
        precondition(requiredKey(of: canonicalText(of: value), by: collator) == key, "canonical text has another key")
    }
    // The array may be one level too deep.
    let array = [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")]
    if let whole = collationKey(of: array, by: collator) {
        precondition(Array(whole.dropFirst().dropLast()) == key && whole.last == 0, "an array changes the key in it")
    }
    return value
}

private func canonicalText(of value: JSONValue) -> [UInt8] {
    guard let text = try? value.canonicalBytes() else { fatalError("what was read cannot be written") }
    return text
}

private func requiredKey(of text: [UInt8], by collator: Collator) -> [UInt8] {
    guard let key = collationKey(of: text, by: collator) else { fatalError("canonical text has no key") }
    return key
}

/// The key of a text, checked; nil where the text is refused.
private func collationKey(of text: [UInt8], by collator: Collator) -> [UInt8]? {
    var key: [UInt8] = [0xEE]
    do throws(StorageError) {
        try collator.encode(text.span.bytes, into: &key)
    } catch {
        precondition(error.code == .badJSON, "another error")
        precondition(key == [0xEE], "a refusal leaves something behind")
        return nil
    }
    precondition(key.removeFirst() == 0xEE, "what stood before is lost")
    precondition(CollationKey.isWellFormed(key.span.bytes), "the key is not well formed")
    for end in key.indices.prefix(64) {
        precondition(!CollationKey.isWellFormed(Array(key[..<end]).span.bytes), "a piece of a key is well formed")
    }
    return key
}

@main
enum FuzzCollation {
    static func main() {
        fuzz { fuzzCollation($0, $1) }
    }
}
