public import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// Takes what a map function emits: call it with a key and a value. It works only until the function returns.
///
/// ```swift
/// try db.view("byAuthor").setMap(version: "1") { document, emit in emit(document["author"], document["title"]) }
/// ```
public final class MapEmitter {
    private var rows: EmittedRows
    /// Whether the map function is still running.
    var isOpen = false

    init(_ collator: Collator) { rows = EmittedRows(collator) }

    /// Emits a row.
    ///
    /// - Parameters:
    ///   - key: where the row sorts; nil: there is no row, and a warning is logged. The JSON value null is a key.
    ///   - value: nil: the row has no value, which takes no space. The JSON value null is a value.
    public func callAsFunction(_ key: JSONValue?, _ value: JSONValue? = nil) {
        guard isOpen else { return }
        guard let key else { return rows.refuseNilKey() }
        rows.add(key, value)
    }

    /// Emits a row whose key or value is a variable.
    @_disfavoredOverload
    public func callAsFunction(_ key: (any JSONConvertible)?, _ value: (any JSONConvertible)? = nil) {
        callAsFunction(key.map { $0.jsonValue }, value.map { $0.jsonValue })
    }

    /// Emits a row with an array as its key. An element that is nil becomes null.
    @_disfavoredOverload
    public func callAsFunction(_ key: [(any JSONConvertible)?], _ value: (any JSONConvertible)? = nil) {
        callAsFunction(key.jsonValue, value.map { $0.jsonValue })
    }

    /// Emits a row whose value is the whole document, including special properties. The document is not copied into the
    /// index: queries read it, as it is then, when they are asked for the value.
    public func callAsFunction(_ key: JSONValue?, _ value: MapDocument) {
        guard isOpen else { return }
        guard let key else { return rows.refuseNilKey() }
        rows.addWhole(key)
    }

    /// Emits a row whose key is a variable and whose value is the whole document.
    @_disfavoredOverload
    public func callAsFunction(_ key: (any JSONConvertible)?, _ value: MapDocument) {
        callAsFunction(key.map { $0.jsonValue }, value)
    }

    /// Emits a row with an array as its key and the whole document as its value.
    @_disfavoredOverload
    public func callAsFunction(_ key: [(any JSONConvertible)?], _ value: MapDocument) {
        callAsFunction(key.jsonValue, value)
    }

    // MARK: - For those that run map functions

    /// Exchanges the rows that it adds to.
    func exchange(_ other: inout EmittedRows) { swap(&rows, &other) }

    func begin(_ id: RawSpan, sequence: UInt64) { rows.begin(id, sequence: sequence) }

    func fail() { rows.fail() }
}
