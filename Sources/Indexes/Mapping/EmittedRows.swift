package import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Collects what mappers emit, on one thread: keys and values as texts, and the sort keys of the keys.
package struct EmittedRows: ~Copyable {
    /// Marks the whole document as the value. It is not JSON text.
    package static let documentMarker: [UInt8] = [UInt8(ascii: "*")]

    private(set) var batch = IndexBatch()
    private(set) var faults = EmitFaults()
    private let collator: Collator
    private var writer = JSONValueWriter()
    private var keyText: [UInt8] = []
    private var valueText: [UInt8] = []
    private var sortKey: [UInt8] = []

    package init(_ collator: Collator) { self.collator = collator }

    /// Begins the rows of a document.
    package mutating func begin(_ id: RawSpan, sequence: UInt64) { batch.begin(id, sequence: sequence) }

    /// Discards the rows of the current document.
    package mutating func fail() {
        batch.cancel()
        faults.failed += 1
    }

    /// Counts a row without a key.
    package mutating func refuseNilKey() { faults.nilKeys += 1 }

    // MARK: - Values of the program

    /// - Parameter value: nil: none.
    package mutating func add(_ key: JSONValue, _ value: JSONValue?) {
        guard writeKey(key) else { return }
        guard let value else { return addRow(nil) }
        valueText.removeAll(keepingCapacity: true)
        do throws(StorageError) {
            try writer.write(value, into: &valueText)
        } catch {
            faults.badRows += 1
            return
        }
        addRow(valueText)
    }

    /// The whole document is the value.
    package mutating func addWhole(_ key: JSONValue) {
        if writeKey(key) { addRow(EmittedRows.documentMarker) }
    }

    // MARK: - Canonical texts

    /// - Parameter valueJSON: nil: none.
    package mutating func add(keyJSON: RawSpan, valueJSON: RawSpan?) {
        guard encode(keyJSON) else { return }
        let key = sortKey
        unsafe batch.add(key: key.span.bytes, keyJSON: keyJSON, valueJSON: valueJSON)
    }

    /// The whole document is the value.
    package mutating func addWhole(keyJSON: RawSpan) {
        unsafe add(keyJSON: keyJSON, valueJSON: EmittedRows.documentMarker.span.bytes)
    }

    // MARK: - Ready sort keys

    /// Adds a row whose sort key the mapper has made. It is left out and counted if the sort key is too long.
    ///
    /// - Parameter valueJSON: nil: none.
    package mutating func add(sortKey: RawSpan, keyJSON: RawSpan, valueJSON: RawSpan?) {
        guard sortKey.byteCount <= Collator.maximumKeyLength else {
            faults.badRows += 1
            return
        }
        batch.add(key: sortKey, keyJSON: keyJSON, valueJSON: valueJSON)
    }

    /// Counts a row whose key cannot be stored.
    package mutating func refuseBadRow() { faults.badRows += 1 }

    // MARK: - Rows

    private mutating func writeKey(_ key: JSONValue) -> Bool {
        keyText.removeAll(keepingCapacity: true)
        do throws(StorageError) {
            try writer.write(key, into: &keyText)
        } catch {
            faults.badRows += 1
            return false
        }
        return encodeKey()
    }

    private mutating func encodeKey() -> Bool {
        let text = keyText
        return unsafe encode(text.span.bytes)
    }

    private mutating func encode(_ key: RawSpan) -> Bool {
        sortKey.removeAll(keepingCapacity: true)
        do throws(StorageError) {
            try collator.encode(key, into: &sortKey)
        } catch {
            faults.badRows += 1
            return false
        }
        return true
    }

    private mutating func addRow(_ value: [UInt8]?) {
        let (key, text) = (sortKey, keyText)
        if let value {
            unsafe batch.add(key: key.span.bytes, keyJSON: text.span.bytes, valueJSON: value.span.bytes)
        } else {
            unsafe batch.add(key: key.span.bytes, keyJSON: text.span.bytes, valueJSON: nil)
        }
    }
}
