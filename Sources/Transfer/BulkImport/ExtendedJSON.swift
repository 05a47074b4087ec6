internal import Foundation
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// MongoDB's Extended JSON, as `mongoexport` writes it: objects that stand for values that JSON does not have.
enum ExtendedJSON {
    /// Returns the document that is being parsed with such objects replaced by plain values. `_id` becomes a string.
    ///
    /// - Throws: `badJSON` (493) for an object that should stand for a value and does not.
    static func document(_ parser: borrowing JSONParser) throws(StorageError) -> [UInt8] {
        guard let root = parser.root else { return [] }
        var value = try parser.value(of: root) { (object) throws(StorageError) in try replacement(for: object) }
        if let id = value["_id"], id.doubleValue != nil {
            value["_id"] = .string(String(decoding: try id.canonicalBytes(), as: UTF8.self))
        }
        return try value.canonicalBytes()
    }

    private static func replacement(for object: JSONObject) throws(StorageError) -> JSONValue {
        guard object.count == 1, let (name, value) = object.first, name.utf8.first == UInt8(ascii: "$") else {
            return .object(object)
        }
        switch name {
        case "$oid", "$numberDecimal":
            guard value.stringValue != nil else { throw malformed(name, "a string") }
            return value
        case "$numberInt", "$numberLong":
            if value.doubleValue != nil { return value }
            guard let text = value.stringValue, let number = Int64(text) else {
                throw malformed(name, "a whole number of 64 bits")
            }
            return .int(number)
        case "$numberDouble": return try double(value)
        case "$date": return .string(try date(value))
        default: return .object(object)
        }
    }

    /// JSON has no infinity and no NaN: they stay texts.
    private static func double(_ value: JSONValue) throws(StorageError) -> JSONValue {
        if value.doubleValue != nil { return value }
        guard let text = value.stringValue else { throw malformed("$numberDouble", "a number") }
        if ["Infinity", "-Infinity", "NaN"].contains(text) { return value }
        guard let number = try? JSONValue(parsing: Array(text.utf8)), number.doubleValue != nil else {
            throw malformed("$numberDouble", "a number")
        }
        return number
    }

    /// Milliseconds since 1970 (within which `$numberLong` is a number already), or a text.
    private static func date(_ value: JSONValue) throws(StorageError) -> String {
        let date: Date?
        if let milliseconds = value.doubleValue {
            date = Date(timeIntervalSince1970: milliseconds / 1000)
        } else {
            date = value.stringValue.flatMap { ISO8601.date(from: $0) }
        }
        guard let date, let text = ISO8601.text(of: date) else {
            throw malformed("$date", "a date in ISO 8601, or milliseconds since 1970")
        }
        return text
    }

    private static func malformed(_ name: String, _ needed: String) -> StorageError {
        StorageError(.badJSON, "The document has a '\(name)' that is not \(needed).")
    }
}
