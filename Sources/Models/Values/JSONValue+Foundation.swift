public import Foundation
public import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension JSONValue {
    /// Creates ISO-8601 text in UTC with milliseconds: `"2026-11-21T20:25:08.123Z"`. Null if `ISO8601` has no text for
    /// the date: if it is not finite, or beyond the years -999,999 to 999,999.
    public init(iso8601 date: Date) {
        self = .null
        if let text = ISO8601.text(of: date) { self = .string(text) }
    }

    /// The date, if this is ISO-8601 text in one of the forms that `ISO8601.date(from:)` reads; nil otherwise.
    public var dateValue: Date? { stringValue.flatMap(ISO8601.date(from:)) }

    /// Creates base64 text (RFC 4648, section 4, with padding).
    public init(base64 data: Data) { self = .string(data.base64EncodedString()) }

    /// The bytes, if this is base64 text, in which line breaks and blanks are skipped; nil otherwise.
    public var dataValue: Data? { stringValue.flatMap { Base64.decode($0) }.map { Data($0) } }

    /// Creates the exact text of a decimal number: `19.90` becomes `"19.9"`. Null if it is not a number.
    public init(decimal: Decimal) {
        self = .null
        if decimal.isFinite { self = .string(decimal.description) }
    }

    /// The decimal number, if this is its text or a number; nil otherwise, and if it has more digits than a decimal
    /// holds (38, or 39 up to 2^128 - 1) or is beyond its range.
    ///
    /// A JSON number that is not whole is read from its shortest text: `0.1` is one tenth.
    public var decimalValue: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .uint(let value): Decimal(value)
        case .longInteger(let value): JSONValue.decimal(value.description)
        case .double(let value): value.isFinite ? JSONValue.decimal(description) : nil
        case .string(let text): JSONValue.decimal(text)
        default: nil
        }
    }

    private static func decimal(_ text: String) -> Decimal? {
        // Foundation ignores what follows a number. The grammar here is JSON's, but allows leading zeros and a plus
        // sign.
        guard let parts = text.wholeMatch(of: /[+-]?0*([0-9]*)(?:\.([0-9]+))?(?:[eE][+-]?[0-9]{1,4})?/),
            text.prefix(while: { $0 != "e" && $0 != "E" }).contains(where: \.isNumber)
        else { return nil }
        let digits = Array(parts.1.utf8) + Array((parts.2 ?? "").utf8)
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        let trailing = significant.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        // The digits of a decimal form a 128-bit integer: any number of 38 digits, and some of 39.
        let held = significant.prefix(max(0, significant.count - trailing))
        guard held.count <= 39, held.count < 39 || UInt128(String(decoding: held, as: UTF8.self)) != nil else {
            return nil
        }
        guard let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), decimal.isFinite else {
            return nil
        }
        // An underflow would result in zero.
        return decimal.isZero && !significant.isEmpty ? nil : decimal
    }
}

extension Date {
    /// Creates the date that an ISO-8601 text names; nil if it is not such a text. See `ISO8601.date(from:)`.
    public init?(iso8601 text: String) {
        guard let date = ISO8601.date(from: text) else { return nil }
        self = date
    }

    /// The date as ISO-8601 text in UTC with milliseconds. See `ISO8601.text(of:)`.
    public var iso8601: String? { ISO8601.text(of: self) }
}

extension Date: JSONConvertible {
    /// ISO-8601 text, like `JSONValue(iso8601:)`.
    public var jsonValue: JSONValue { JSONValue(iso8601: self) }
}

extension Decimal: JSONConvertible {
    /// The number's text, like `JSONValue(decimal:)`.
    public var jsonValue: JSONValue { JSONValue(decimal: self) }
}

extension UUID: JSONConvertible {
    /// The text in upper case, as `Codable` writes it.
    public var jsonValue: JSONValue { .string(uuidString) }
}

extension URL: JSONConvertible {
    /// The absolute text.
    public var jsonValue: JSONValue { .string(absoluteString) }
}
