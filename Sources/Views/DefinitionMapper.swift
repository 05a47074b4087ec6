internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Makes the rows of a stored definition directly from the stored text of documents.
struct DefinitionMapper: Sendable {
    /// Where a part of a row comes from.
    private enum Part: Sendable {
        /// A value in the stored text, by its index among the paths of `places`.
        case place(Int)
        /// A special property, which the stored text does not have.
        case special(JSONPointer)
        case wholeDocument

        /// - Parameter places: Where the stored text is read. The pointer is added if it leads there.
        init(_ pointer: JSONPointer, _ places: inout [JSONPointer]) {
            if pointer.isWhole {
                self = .wholeDocument
            } else if pointer.specialName != nil {
                self = .special(pointer)
            } else {
                self = .place(places.count)
                places.append(pointer)
            }
        }

        var readsRevision: Bool {
            switch self {
            case .place: false
            case .special(let pointer): pointer.specialName == "_rev"
            case .wholeDocument: true
            }
        }
    }

    /// Whether any part is the ID of a document's revision, or has it.
    let readsRevisions: Bool
    /// Finds all parts that are in the stored text, in one walk.
    private let places: PathTrie
    private let keys: [Part]
    private let value: Part?
    private let conditions: [(part: Part, check: ValueCheck)]
    private let required: [Part]

    init(_ definition: ViewDefinition) throws(StorageError) {
        var places: [JSONPointer] = []
        keys = definition.keys.map { Part($0, &places) }
        value = definition.value.map { Part($0, &places) }
        var checks: [(part: Part, check: ValueCheck)] = []
        for condition in definition.conditions {
            let comparison = Comparison(rawValue: condition.comparison.rawValue) ?? .equal
            checks.append((Part(condition.place, &places), try ValueCheck(comparison, condition.literal)))
        }
        conditions = checks
        required = definition.requiredPlaces.map { Part($0, &places) }
        self.places = PathTrie(places)
        readsRevisions = (keys + conditions.map(\.part) + required + (value.map { [$0] } ?? []))
            .contains { $0.readsRevision }
    }

    func map(_ entry: DocumentChunk.Entry, of chunk: DocumentChunk, into rows: inout EmittedRows) {
        chunk.withBody(entry) { body in
            places.withPlaces(in: body) { found in
                map(body, Source(found: found, entry: entry, chunk: chunk), into: &rows)
            }
        }
    }

    /// What is known of a document besides its text.
    private struct Source {
        let found: FoundPlaces
        let entry: DocumentChunk.Entry
        let chunk: DocumentChunk
    }

    private func map(_ body: RawSpan, _ source: Source, into rows: inout EmittedRows) {
        for (part, check) in conditions {
            guard with(part, body, source, { check.holds($0) }) == true else { return }
        }
        for part in required {
            let isThere: Void? = with(part, body, source) { _ in }
            if isThere == nil { return }
        }
        guard keys.count > 1 else {
            _ = with(keys[0], body, source) { key in emit(key, body, source, &rows) }
            return
        }
        let key = arrayKey(body, source)
        unsafe emit(key.span.bytes, body, source, &rows)
    }

    private func emit(_ key: RawSpan, _ body: RawSpan, _ source: Source, _ rows: inout EmittedRows) {
        switch value {
        case nil: rows.add(keyJSON: key, valueJSON: nil)
        case .wholeDocument: rows.addWhole(keyJSON: key)
        case .some(let part):
            let emitted: Void? = with(part, body, source) { rows.add(keyJSON: key, valueJSON: $0) }
            if emitted == nil { rows.add(keyJSON: key, valueJSON: nil) }
        }
    }

    /// Returns an array of all parts, with null for missing ones.
    private func arrayKey(_ body: RawSpan, _ source: Source) -> [UInt8] {
        var array = [UInt8(ascii: "[")]
        for (position, part) in keys.enumerated() {
            if position > 0 { array.append(UInt8(ascii: ",")) }
            let added: Void? = with(part, body, source) { text in
                unsafe text.withUnsafeBytes { unsafe array.append(contentsOf: $0) }
            }
            if added == nil { array.append(contentsOf: "null".utf8) }
        }
        array.append(UInt8(ascii: "]"))
        return array
    }

    /// Passes the canonical text of a part to `use`. - Returns: nil if the part is missing.
    private func with<R>(
        _ part: Part,
        _ body: RawSpan,
        _ source: Source,
        _ use: (RawSpan) -> R
    ) -> R? {
        let text: [UInt8]?
        switch part {
        case .place(let index):
            guard let range = source.found[index] else { return nil }
            return use(body.extracting(range))
        case .special(let pointer): text = try? MapDocument(source.entry, in: source.chunk)[pointer]?.canonicalBytes()
        case .wholeDocument: text = try? MapDocument(source.entry, in: source.chunk).properties.canonicalBytes()
        }
        guard let text else { return nil }
        return unsafe use(text.span.bytes)
    }
}
