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
        guard let date = GivenExpiration.date(value) else {
            throw .badRequest("The document's '_exp' must be a date in ISO 8601, or a number of seconds, 0 or more.")
        }
        do throws(StorageError) {
            self = try .at(date)
        } catch {
            throw CouchError(error)
        }
    }

    private static func date(_ value: JSONValue) -> Date? {
        if let seconds = value.doubleValue {
            guard seconds > 0 else { return nil }
            return seconds <= longestInterval
                ? Date(timeIntervalSinceNow: seconds) : Date(timeIntervalSince1970: seconds)
        }
        // The parser takes a text that only begins with a date.
        let form = /[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:?[0-9]{2}))?/
        guard let text = value.stringValue, text.utf8.count <= 40, text.wholeMatch(of: form) != nil else { return nil }
        let styles: [Date.ISO8601FormatStyle] = [
            .init(), .init(includingFractionalSeconds: true), Date.ISO8601FormatStyle().year().month().day(),
        ]
        for style in styles {
            if let date = try? style.parse(text) { return date }
        }
        return nil
    }
}
