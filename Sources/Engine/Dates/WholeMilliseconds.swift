internal import Foundation

/// A whole number of milliseconds, and the two dates that Foundation makes of it.
struct WholeMilliseconds {
    let since1970: Int64

    /// Up to this, floating-point numbers can represent every count of milliseconds.
    private static let exactCounts: Int64 = 1 << 53
    private static let secondsTo2001 = CivilDay.reference * 86_400

    init(since1970: Int64) { self.since1970 = since1970 }

    /// Rounds a date to milliseconds; nil if it is not finite or farther away than any text reaches.
    init?(nearest date: Date) {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.magnitude < 1e14 else { return nil }
        // Computed in two parts: for distant dates, a floating-point number does not hold all digits of the product.
        let whole = seconds.rounded(.down)
        let milliseconds = Int64(whole) * 1000 + Int64(((seconds - whole) * 1000).rounded())
        since1970 = milliseconds + WholeMilliseconds.secondsTo2001 * 1000
    }

    /// The date that `Date(timeIntervalSince1970:)` makes of it.
    var dateSince1970: Date { Date(timeIntervalSince1970: WholeMilliseconds.seconds(since1970)) }

    /// The date that `Date(timeIntervalSinceReferenceDate:)` makes of it: the nearest one.
    var dateSince2001: Date {
        let since2001 = since1970 - WholeMilliseconds.secondsTo2001 * 1000
        return Date(timeIntervalSinceReferenceDate: WholeMilliseconds.seconds(since2001))
    }

    /// Returns the floating-point number of seconds nearest to a number of milliseconds.
    private static func seconds(_ milliseconds: Int64) -> Double {
        if milliseconds.magnitude <= exactCounts { return Double(milliseconds) / 1000 }
        let whole = milliseconds.dividedDown(by: 1000)
        return Double(whole) + Double(milliseconds - whole * 1000) / 1000
    }
}
