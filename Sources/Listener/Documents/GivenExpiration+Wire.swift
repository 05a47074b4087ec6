internal import Foundation
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension GivenExpiration {
    /// So many seconds, 30 days, are the highest number that counts from now, as in Sync Gateway.
    private static let longestInterval = 2_592_000.0

    /// Reads the value of `_exp`, as Sync Gateway has it: an ISO 8601 date, a number of seconds since 1970, or, up to
    /// 30 days, from now. 0 and null are never.
    ///
    /// - Throws: `bad_request` (400) for anything else.
    init(wire value: JSONValue) throws(CouchError) {
        if value.isNull || value.doubleValue == 0 {
            self = .never
            return
        }
        let date = try GivenExpiration.date(value)
        do throws(StorageError) {
            self = try .at(date)
        } catch {
            throw CouchError(error)
        }
    }

    private static func date(_ value: JSONValue) throws(CouchError) -> Date {
        if let seconds = value.doubleValue, seconds > 0 {
            return seconds <= longestInterval
                ? Date(timeIntervalSinceNow: seconds) : Date(timeIntervalSince1970: seconds)
        }
        guard let text = value.stringValue else {
            throw .badRequest("The document's '_exp' must be a date in ISO 8601, or a number of seconds, 0 or more.")
        }
        do throws(ISO8601.Fault) {
            return try ISO8601.parse(text)
        } catch {
            throw .badRequest("The document's '_exp' is no date in ISO 8601. \(error.explanation)")
        }
    }
}
