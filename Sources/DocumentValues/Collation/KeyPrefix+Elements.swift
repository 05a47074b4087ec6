internal import StorageProtocol

extension KeyPrefix {
    /// The first elements of an array.
    struct Elements: Sendable {
        private let count: Int
        /// The elements as JSON text, without brackets.
        private let json: [UInt8]
        /// The key of an array of these elements.
        let key: [UInt8]

        init(_ elements: [JSONValue], _ collator: Collator) throws(StorageError) {
            let text = try JSONValue.array(elements).canonicalBytes()
            var key: [UInt8] = []
            try unsafe collator.encode(text.span.bytes, into: &key)
            count = elements.count
            json = Array(text.dropFirst().dropLast())
            self.key = key
        }

        /// Whether an array begins with these elements.
        func begin(_ array: RawSpan, _ collator: Collator) -> Bool {
            guard let found = JSONScanner.leadingElements(count, in: array) else { return false }
            return found.count == count && isSame(array.extracting(found.range), collator)
        }

        /// Returns the range of the element after these. Nil if the text is not an array that begins with these and
        /// continues.
        func next(in array: RawSpan, _ collator: Collator) -> Range<Int>? {
            guard let found = JSONScanner.leadingElements(count, in: array), let next = found.next else { return nil }
            return isSame(array.extracting(found.range), collator) ? next : nil
        }

        private func isSame(_ text: RawSpan, _ collator: Collator) -> Bool {
            if KeyPrefix.isSame(text, json) { return true }
            let array = unsafe text.withUnsafeBytes { bytes in
                unsafe [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]
            }
            var other: [UInt8] = []
            do throws(StorageError) {
                try unsafe collator.encode(array.span.bytes, into: &other)
            } catch { return false }
            return other == key
        }
    }
}
