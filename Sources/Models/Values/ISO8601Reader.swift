internal import Foundation

/// Reads one ISO-8601 text.
struct ISO8601Reader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func read() -> Date? {
        guard let day = readDay() else { return nil }
        var seconds = 0.0
        var milliseconds: Int64 = 0
        if place < bytes.count {
            guard take("T") || take("t") || take(" "), let time = readTime(), let offset = readOffset() else {
                return nil
            }
            milliseconds = time.milliseconds - offset
            seconds = time.rest
        }
        guard place == bytes.count else { return nil }
        // Whole milliseconds by one division, so that they come out as the nearest date to them.
        let total = (day.sinceEpoch - CivilDay.reference) * CivilDay.milliseconds + milliseconds
        return Date(timeIntervalSinceReferenceDate: Double(total) / 1000 + seconds)
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

    /// Milliseconds since midnight, and in seconds what is finer.
    private mutating func readTime() -> (milliseconds: Int64, rest: Double)? {
        guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60 else { return nil }
        var milliseconds = (hour * 60 + minute) * 60_000
        var rest = 0.0
        if take(":") {
            guard let second = number(2), second <= 60 else { return nil }
            milliseconds += second * 1000
            if take(".") || take(",") {
                var scale = 100.0
                var digits = 0
                while let digit = digit() {
                    if digits < 3 { milliseconds += Int64(scale) * digit } else { rest += scale * Double(digit) / 1000 }
                    scale /= 10
                    digits += 1
                }
                guard digits > 0 else { return nil }
            }
        }
        return (milliseconds, rest)
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
