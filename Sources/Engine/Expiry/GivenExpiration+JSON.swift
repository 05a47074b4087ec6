internal import Foundation
package import SetteeDocumentValues
package import StorageProtocol

extension GivenExpiration {
    /// The highest number that counts from now, in seconds: 30 days, as in Sync Gateway.
    private static let longestInterval = 2_592_000.0

    /// Reads the value of `_exp`, as Sync Gateway has it: an ISO 8601 date, a number of seconds since 1970, or, up to
    /// 30 days, from now. The number may be a text of digits. 0 and null are never.
    ///
    /// - Throws: `badRequest` (400) for anything else, `badParameter` (495) for a time too far away.
    package init(json value: JSONValue) throws(StorageError) {
        let seconds = value.doubleValue ?? GivenExpiration.number(value)
        if value.isNull || seconds == 0 {
            self = .never
            return
        }
        self = try .at(try GivenExpiration.date(value, seconds))
    }

    /// Returns the number of a text that has digits and nothing else.
    private static func number(_ value: JSONValue) -> Double? {
        guard let text = value.stringValue,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Double(text)
    }

    private static func date(_ value: JSONValue, _ seconds: Double?) throws(StorageError) -> Date {
        if let seconds, seconds > 0 {
            return seconds <= longestInterval
                ? Date(timeIntervalSinceNow: seconds) : Date(timeIntervalSince1970: seconds)
        }
        guard let text = value.stringValue else {
            throw StorageError(
                .badRequest,
                "The document's '_exp' must be a date in ISO 8601, or a number of seconds, 0 or more."
            )
        }
        do throws(ISO8601.Fault) {
            return try ISO8601.parse(text)
        } catch {
            throw StorageError(.badRequest, "The document's '_exp' is no date in ISO 8601. \(error.explanation)")
        }
    }
}
