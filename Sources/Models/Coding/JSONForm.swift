internal import Foundation
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The JSON forms of values that are not encoded by their own `encode(to:)`.
enum JSONForm {
    /// Returns the form of a value of one of the types below; nil for all other types.
    static func special<T: Encodable>(_ value: T, at path: @autoclosure () -> CodingPath?) throws -> JSONValue? {
        // Types are compared first, because a cast costs more than all of these comparisons.
        if T.self == String.self, let text = value as? String { return .string(text) }
        if T.self == Date.self, let date = value as? Date {
            guard let text = ISO8601.text(of: date) else {
                throw unfit(T.self, path(), "The date is outside the years -999,999 to 999,999, or not finite.")
            }
            return .string(text)
        }
        if T.self == Data.self, let data = value as? Data { return .string(data.base64EncodedString()) }
        if T.self == Decimal.self, let decimal = value as? Decimal {
            guard decimal.isFinite else { throw unfit(T.self, path(), "The decimal number is not finite.") }
            return .string(decimal.description)
        }
        if T.self == URL.self, let url = value as? URL { return .string(url.absoluteString) }
        if T.self == JSONValue.self, let json = value as? JSONValue { return json }
        if T.self == JSONObject.self, let json = value as? JSONObject { return .object(json) }
        return nil
    }

    static func number(_ value: Double, at path: @autoclosure () -> CodingPath?) throws -> JSONValue {
        guard value.isFinite else { throw unfit(Double.self, path(), "JSON has no number that is not finite.") }
        return .double(value)
    }

    static func number(_ value: Float, at path: @autoclosure () -> CodingPath?) throws -> JSONValue {
        guard value.isFinite else { throw unfit(Float.self, path(), "JSON has no number that is not finite.") }
        // Uses the float's own shortest digits, unless rounding twice gives another float.
        guard let short = Double(value.description), Float(short) == value else { return .double(Double(value)) }
        return .double(short)
    }

    static func number<T: FixedWidthInteger & Sendable>(
        _ value: T,
        at path: @autoclosure () -> CodingPath?
    ) throws -> JSONValue {
        if let whole = Int64(exactly: value) { return .int(whole) }
        if let whole = UInt64(exactly: value) { return .uint(whole) }
        guard let whole = JSONLongInteger(String(value)) else {
            throw unfit(T.self, path(), "JSON numbers are within the range of doubles.")
        }
        return .longInteger(whole)
    }

    /// The error has the type instead of the value, because errors contain no content.
    private static func unfit<T>(_ type: T.Type, _ path: CodingPath?, _ why: String) -> EncodingError {
        .invalidValue(type, .init(codingPath: path.keys, debugDescription: why))
    }
}
