public import Foundation

/// Dates as ISO-8601 text, in the profile of RFC 3339: `2026-11-21T20:25:08.123Z`.
///
/// All of it is pure computation: no formatter, no locale, no time zone of the machine, safe from any thread.
///
/// Texts have milliseconds. A date made from such a text gives the same text again; the finer digits of other dates are
/// rounded away. Years beyond 0000...9999 get a sign and six digits, as in ECMAScript. The calendar is the proleptic
/// Gregorian one.
public enum ISO8601 {
    /// The text of `date` in UTC, with milliseconds; nil where it is not finite or beyond the years -999,999 to
    /// 999,999.
    public static func text(of date: Date) -> String? {
        let exact = (date.timeIntervalSinceReferenceDate * 1000).rounded()
        guard exact.magnitude < 1e17 else { return nil }
        let milliseconds = Int64(exact) + CivilDay.reference * CivilDay.milliseconds
        let day = CivilDay(sinceEpoch: milliseconds.dividedDown(by: CivilDay.milliseconds))
        let time = milliseconds - day.sinceEpoch * CivilDay.milliseconds
        guard day.year.magnitude <= 999_999 else { return nil }

        var text: [UInt8] = []
        text.reserveCapacity(27)
        if (0...9999).contains(day.year) {
            append(day.year, 4, to: &text)
        } else {
            text.append(UInt8(ascii: day.year < 0 ? "-" : "+"))
            append(Int64(day.year.magnitude), 6, to: &text)
        }
        text.append(UInt8(ascii: "-"))
        append(day.month, 2, to: &text)
        text.append(UInt8(ascii: "-"))
        append(day.day, 2, to: &text)
        text.append(UInt8(ascii: "T"))
        append(time / 3_600_000, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(time / 60_000 % 60, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(time / 1000 % 60, 2, to: &text)
        text.append(UInt8(ascii: "."))
        append(time % 1000, 3, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ number: Int64, _ digits: Int, to text: inout [UInt8]) {
        var divisor = (1..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    /// The date that `text` names, nil where it is none.
    ///
    /// `YYYY-MM-DD`, then, unless midnight is meant, `T` (or a blank) and `hh:mm`, `hh:mm:ss` or `hh:mm:ss.f` with any
    /// number of digits behind a point or comma, then `Z`, `+hh:mm`, `+hhmm`, `+hh` or the like with `-`. A time without
    /// any of these is taken as UTC. Days and times must exist; a second 60 is the next minute's first.
    public static func date(from text: String) -> Date? {
        var reader = ISO8601Reader(text)
        return reader.read()
    }
}

/// A day of the proleptic Gregorian calendar.
struct CivilDay {
    static let milliseconds: Int64 = 86_400_000
    /// The day from which Foundation's dates count, 1 January 2001, in days since 1 January 1970.
    static let reference: Int64 = 11_323

    /// Days since 1 January 1970.
    let sinceEpoch: Int64
    let year: Int64
    let month: Int64
    let day: Int64

    // Both ways after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, and 400 of
    // them are an era of 146,097 days.

    init(sinceEpoch: Int64) {
        self.sinceEpoch = sinceEpoch
        let shifted = sinceEpoch + 719_468
        let era = shifted.dividedDown(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Nil where there is no such day.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let shiftedYear = year - (month <= 2 ? 1 : 0)
        let era = shiftedYear.dividedDown(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(sinceEpoch: era * 146_097 + dayOfEra - 719_468)
        // 30 February came out as 1 or 2 March.
        guard self.year == year, self.month == month, self.day == day else { return nil }
    }
}

extension Int64 {
    /// Division that rounds towards minus infinity.
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
