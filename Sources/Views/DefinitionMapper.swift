internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Makes the rows of a stored definition directly from the stored text of documents.
struct DefinitionMapper: Sendable {
    /// Where a part of a row comes from.
    private enum Part: Sendable {
        /// A value in the stored text.
        case place(JSONPointer)
        /// A special property, which the stored text does not have.
        case special(JSONPointer)
        case wholeDocument

        init(_ pointer: JSONPointer) {
            self = pointer.isWhole ? .wholeDocument : pointer.specialName == nil ? .place(pointer) : .special(pointer)
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
    private let keys: [Part]
    private let value: Part?
    private let conditions: [(part: Part, check: ConditionCheck)]
    private let required: [Part]

    init(_ definition: ViewDefinition) throws(StorageError) {
        keys = definition.keys.map { Part($0) }
        value = definition.value.map { Part($0) }
        var checks: [(part: Part, check: ConditionCheck)] = []
        for condition in definition.conditions { checks.append((Part(condition.place), try ConditionCheck(condition))) }
        conditions = checks
        required = definition.requiredPlaces.map { Part($0) }
        readsRevisions = (keys + conditions.map(\.part) + required + (value.map { [$0] } ?? []))
            .contains { $0.readsRevision }
    }

    func map(_ entry: DocumentChunk.Entry, of chunk: DocumentChunk, into emitter: MapEmitter) {
        chunk.withBody(entry) { body in
            for (part, check) in conditions {
                guard with(part, body, entry, chunk, { check.holds($0) }) == true else { return }
            }
            for part in required {
                let isThere: Void? = with(part, body, entry, chunk) { _ in }
                if isThere == nil { return }
            }
            guard keys.count > 1 else {
                _ = with(keys[0], body, entry, chunk) { key in emit(key, body, entry, chunk, emitter) }
                return
            }
            let key = arrayKey(body, entry, chunk)
            unsafe emit(key.span.bytes, body, entry, chunk, emitter)
        }
    }

    private func emit(
        _ key: RawSpan,
        _ body: RawSpan,
        _ entry: DocumentChunk.Entry,
        _ chunk: DocumentChunk,
        _ emitter: MapEmitter
    ) {
        switch value {
        case nil: emitter.add(keyJSON: key, valueJSON: nil)
        case .wholeDocument: emitter.addWhole(keyJSON: key)
        case .some(let part):
            let emitted: Void? = with(part, body, entry, chunk) { emitter.add(keyJSON: key, valueJSON: $0) }
            if emitted == nil { emitter.add(keyJSON: key, valueJSON: nil) }
        }
    }

    /// Returns an array of all parts, with null for missing ones.
    private func arrayKey(_ body: RawSpan, _ entry: DocumentChunk.Entry, _ chunk: DocumentChunk) -> [UInt8] {
        var array = [UInt8(ascii: "[")]
        for (position, part) in keys.enumerated() {
            if position > 0 { array.append(UInt8(ascii: ",")) }
            let added: Void? = with(part, body, entry, chunk) { text in
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
        _ entry: DocumentChunk.Entry,
        _ chunk: DocumentChunk,
        _ use: (RawSpan) -> R
    ) -> R? {
        let text: [UInt8]?
        switch part {
        case .place(let pointer):
            guard let range = JSONScanner.range(of: pointer, in: body) else { return nil }
            return use(body.extracting(range))
        case .special(let pointer): text = try? MapDocument(entry, in: chunk)[pointer]?.canonicalBytes()
        case .wholeDocument: text = try? MapDocument(entry, in: chunk).properties.canonicalBytes()
        }
        guard let text else { return nil }
        return unsafe use(text.span.bytes)
    }
}
