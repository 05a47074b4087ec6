internal import Foundation

/// Reads one ISO-8601 text.
struct ISO8601Reader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func read() -> Date? {
        guard let day = readDay() else { return nil }
        var time = TimeOfDay()
        if place < bytes.count {
            guard take("T") || take("t") || take(" "), let read = readTime(), let offset = readOffset() else {
                return nil
            }
            time = read
            time.milliseconds -= offset
        }
        guard place == bytes.count else { return nil }
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

    private mutating func readDay() -> CivilDay? {
        var year: Int64?
        if take("+") {
            year = number(6)
        } else if take("-") {
            // There is no year -000000.
            year = number(6).flatMap { $0 == 0 ? nil : -$0 }
        } else {
            year = number(4)
        }
        guard let year, take("-"), let month = number(2), take("-"), let day = number(2) else { return nil }
        return CivilDay(year: year, month: month, day: day)
    }

    private mutating func readTime() -> TimeOfDay? {
        guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60 else { return nil }
        var time = TimeOfDay(milliseconds: (hour * 60 + minute) * 60_000)
        if take(":") {
            guard let second = number(2), second <= 60 else { return nil }
            time.milliseconds += second * 1000
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
                guard digits > 0 else { return nil }
                time.isFine = digits > 3
            }
        }
        return time
    }

    /// The time zone, in milliseconds east of UTC.
    private mutating func readOffset() -> Int64? {
        if place == bytes.count || take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(2), hours < 24 else { return nil }
        var minutes: Int64 = 0
        if place < bytes.count {
            _ = take(":")
            guard let read = number(2), read < 60 else { return nil }
            minutes = read
        }
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

    private mutating func number(_ digits: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}
