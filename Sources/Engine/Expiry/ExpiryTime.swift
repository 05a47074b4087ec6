internal import Foundation
internal import StorageProtocol

/// Times of expiry as they are stored: milliseconds since 1970, UTC.
enum ExpiryTime {
    /// The range in which a `Date` has millisecond precision: some 285,000 years before and after.
    private static let limit = 9_007_199_254_740_992.0

    static var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded()) }

    static func date(_ time: Int64) -> Date { Date(timeIntervalSince1970: Double(time) / 1000) }

    /// - Throws: `badParameter` (495) if the date is not finite, or too far away.
    static func milliseconds(_ date: Date) throws(StorageError) -> Int64 {
        let time = (date.timeIntervalSince1970 * 1000).rounded()
        guard time.isFinite, abs(time) <= limit else {
            throw StorageError(
                .badParameter,
                "The time of expiry is not a number, or too far away. Use nil for a document that never expires."
            )
        }
        return Int64(time)
    }
}
