internal import Foundation

/// Reads one ISO-8601 text.
struct ISO8601Reader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func read() throws(ISO8601.Fault) -> Date {
        let day = try readDay()
        var time = TimeOfDay()
        if place < bytes.count {
            guard take("T") || take("t") || take(" ") else { throw .malformed }
            time = try readTime()
            time.milliseconds -= try readOffset()
        }
        guard place == bytes.count else { throw .malformed }
        let whole = WholeMilliseconds(since1970: day.sinceEpoch * CivilDay.milliseconds + time.milliseconds)
        return time.isFine ? whole.dateSince2001 + time.rest : whole.dateSince1970
    }

    private struct TimeOfDay {
        /// Since midnight.
        var milliseconds: Int64 = 0
        /// The remainder below one millisecond, in seconds.
        var rest = 0.0
        /// Whether there were more than three digits.
        var isFine = false
    }

    private mutating func readDay() throws(ISO8601.Fault) -> CivilDay {
        let year: Int64
        if take("+") {
            year = try number(6)
        } else if take("-") {
            year = -(try number(6))
            guard year != 0 else { throw .noSuchDay }
        } else {
            year = try number(4)
        }
        guard take("-") else { throw .malformed }
        let month = try number(2)
        guard take("-") else { throw .malformed }
        guard let day = CivilDay(year: year, month: month, day: try number(2)) else { throw .noSuchDay }
        return day
    }

    private mutating func readTime() throws(ISO8601.Fault) -> TimeOfDay {
        let hour = try number(2)
        guard take(":") else { throw .malformed }
        let minute = try number(2)
        guard hour < 24, minute < 60 else { throw .noSuchTime }
        guard take(":") else { throw .noSeconds }
        let second = try number(2)
        guard second <= 60 else { throw .noSuchTime }
        var time = TimeOfDay(milliseconds: (hour * 60 + minute) * 60_000 + second * 1000)
        if take(".") || take(",") {
            var scale = 100.0
            var digits = 0
            while let digit = digit() {
                if digits < 3 {
                    time.milliseconds += Int64(scale) * digit
                } else {
                    time.rest += scale * Double(digit) / 1000
                }
                scale /= 10
                digits += 1
            }
            guard digits > 0 else { throw .malformed }
            time.isFine = digits > 3
        }
        return time
    }

    /// The time zone, in milliseconds east of UTC.
    private mutating func readOffset() throws(ISO8601.Fault) -> Int64 {
        guard place < bytes.count else { throw .noZone }
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+") else { throw .malformed }
        let hours = try number(2)
        var minutes: Int64 = 0
        if place < bytes.count {
            _ = take(":")
            minutes = try number(2)
        }
        guard hours < 24, minutes < 60 else { throw .noSuchZone }
        let offset = (hours * 60 + minutes) * 60_000
        return isWest ? -offset : offset
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func digit() -> Int64? {
        guard place < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) else { return nil }
        place += 1
        return Int64(bytes[place - 1] - UInt8(ascii: "0"))
    }

    private mutating func number(_ digits: Int) throws(ISO8601.Fault) -> Int64 {
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { throw .malformed }
            number = number * 10 + digit
        }
        return number
    }
}
