public import Foundation

/// Dates as ISO-8601 text, in the profile of RFC 3339: `2026-11-21T20:25:08.123Z`.
///
/// Everything is pure computation, without formatters, locales or the machine's time zone, and can be called from any
/// thread.
///
/// Texts have milliseconds. A date in whole milliseconds is equal to the one read back from its text, and likewise a
/// text with milliseconds; finer digits of other dates are rounded. Years beyond 0000...9999 get a sign and six digits,
/// as in ECMAScript. The calendar is the proleptic Gregorian one.
///
/// Foundation stores a date as a floating-point number of seconds since 2001. The same whole milliseconds often
/// correspond to two neighbouring numbers: one if they are counted from 1970 (`Date(timeIntervalSince1970: 1.001)`),
/// another if they are counted from 2001. Three digits mean the first; the second, if it is different, is written with
/// three more zeros (`20:25:08.123000Z`).
public enum ISO8601 {
    /// Returns the text of `date` in UTC, with milliseconds; nil if it is not finite or beyond the years -999,999 to
    /// 999,999.
    public static func text(of date: Date) -> String? {
        guard let time = WholeMilliseconds(nearest: date) else { return nil }
        let milliseconds = time.since1970
        let day = CivilDay(sinceEpoch: milliseconds.dividedDown(by: CivilDay.milliseconds))
        let timeOfDay = milliseconds - day.sinceEpoch * CivilDay.milliseconds
        guard day.year.magnitude <= 999_999 else { return nil }

        var text: [UInt8] = []
        text.reserveCapacity(30)
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
        append(timeOfDay / 3_600_000, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(timeOfDay / 60_000 % 60, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(timeOfDay / 1000 % 60, 2, to: &text)
        text.append(UInt8(ascii: "."))
        append(timeOfDay % 1000, 3, to: &text)
        if date != time.dateSince1970, date == time.dateSince2001 { text += Array("000".utf8) }
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

    /// Returns the date that `text` names; nil if it is not such a text.
    ///
    /// The form is `YYYY-MM-DD`, then, unless midnight in UTC is meant, `T` (or a blank), `hh:mm:ss` or `hh:mm:ss.f`
    /// with any number of digits after a point or comma, then `Z`, `+hh:mm`, `+hhmm`, `+hh` or the same with `-`.
    /// Letters may be small. A time without seconds or zone is no such text: what is missing is not guessed. Days,
    /// times and offsets must exist; a second 60 is the first second of the next minute.
    public static func date(from text: String) -> Date? { try? parse(text) }

    /// Returns the date that `text` names. See `date(from:)`.
    package static func parse(_ text: String) throws(Fault) -> Date {
        var reader = ISO8601Reader(text)
        return try reader.read()
    }

    /// Why a text names no date.
    package enum Fault: Error {
        case malformed
        case noSeconds
        case noZone
        case noSuchDay
        case noSuchTime
        case noSuchZone

        /// What is wrong, as a sentence.
        package var explanation: String {
            switch self {
            case .malformed: "Write it as 2031-05-01T12:00:00Z, or with an offset as 2031-05-01T12:00:00+02:00."
            case .noSeconds: "The seconds are missing. Write it as 2031-05-01T12:00:00Z."
            case .noZone: "The zone is missing. Add Z for UTC, or an offset as +02:00."
            case .noSuchDay: "There is no such day."
            case .noSuchTime: "There is no such time of day: hours go to 23, minutes to 59, seconds to 60."
            case .noSuchZone: "There is no such offset: they go from -23:59 to +23:59."
            }
        }
    }
}
