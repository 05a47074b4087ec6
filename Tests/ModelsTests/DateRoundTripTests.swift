import Foundation
import Settee
import StorageConformance
import Testing

/// Dates of whole milliseconds come back equal, however they were made. Foundation keeps the seconds since 2001 as a
/// floating-point number, and a time counted from 1970 often ends as another number than the same time counted from
/// 2001: of 2,000 dates made from 1970, 992 came back as their neighbours.
@Suite struct DateRoundTripTests {
    /// Milliseconds of every magnitude, up to those of the years -999,999 and 999,999.
    private static func milliseconds(_ count: Int, seed: UInt64) -> [Int64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let magnitude = Int64(1) << Int64.random(in: 1...54, using: &generator)
            return Int64.random(in: -magnitude...magnitude, using: &generator)
        }
    }

    private static let boundaries: [Int64] = [
        0, 1, -1, 999, -999, 1000, -1000, 978_307_200_000, 978_307_200_001, 978_307_199_999, -62_135_596_800_000,
        -62_135_596_800_001, -62_167_219_200_000, -62_167_219_200_001, 253_402_300_799_999, 253_402_300_800_000,
        1 << 52, 1 << 53, (1 << 53) + 1, -(1 << 53), 31_494_784_780_799_000, -31_619_087_596_800_000,
    ]

    private func comesBack(_ date: Date, _ seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let text = try #require(date.iso8601, "seed \(seed)", sourceLocation: sourceLocation)
        #expect(Date(iso8601: text) == date, "seed \(seed), \(text)", sourceLocation: sourceLocation)
    }

    @Test func wholeMillisecondsSince1970() throws {
        let seed = UInt64.random(in: .min ... .max)
        for count in DateRoundTripTests.boundaries + DateRoundTripTests.milliseconds(20_000, seed: seed) {
            try comesBack(Date(timeIntervalSince1970: Double(count) / 1000), seed)
        }
    }

    @Test func wholeMillisecondsSince2001() throws {
        let seed = UInt64.random(in: .min ... .max)
        for count in DateRoundTripTests.boundaries + DateRoundTripTests.milliseconds(20_000, seed: seed) {
            guard count.magnitude < 30_000_000_000_000_000 else { continue }
            try comesBack(Date(timeIntervalSinceReferenceDate: Double(count) / 1000), seed)
        }
    }

    @Test func theEndsOfTime() throws {
        try comesBack(.distantPast, 0)
        try comesBack(.distantFuture, 0)
        for date in [Date.distantPast, .distantFuture] {
            let json = try JSONValueEncoder().encode([date])
            let parsed = try JSONValue(parsing: json.canonicalBytes())
            #expect(try JSONValueDecoder().decode([Date].self, from: parsed) == [date])
        }
    }

    /// Text with three digits stands for the milliseconds since 1970; if Foundation's count from 2001 gives another
    /// number for the same time, the text has three more zeros.
    @Test func textsOfTheTwoCounts() throws {
        for count in DateRoundTripTests.milliseconds(5000, seed: 7) where count.magnitude < 1 << 52 {
            let since1970 = Date(timeIntervalSince1970: Double(count) / 1000)
            let since2001 = Date(timeIntervalSinceReferenceDate: Double(count - 978_307_200_000) / 1000)
            let text = try #require(since1970.iso8601)
            #expect(text.hasSuffix("Z") && text.split(separator: ".")[1].count == 4, "\(count)")
            #expect(since2001.iso8601 == (since1970 == since2001 ? text : text.dropLast() + "000Z"), "\(count)")
        }
    }

    @Test func otherDatesAreWithinHalfAMillisecond() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let seconds = Double.random(in: -1e11...1e11, using: &generator)
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let text = try #require(date.iso8601)
            let back = try #require(Date(iso8601: text))
            #expect(abs(back.timeIntervalSince(date)) <= 0.000_51, "seed \(seed), \(seconds)")
            // After that it is stable.
            #expect(back.iso8601.flatMap(Date.init(iso8601:)) == back, "seed \(seed), \(seconds)")
        }
    }

    @Test func textSortsAsTimeDoes() throws {
        let dates = DateRoundTripTests.milliseconds(5000, seed: 11).filter {
            (-62_167_219_200_000...253_402_300_799_999).contains($0)
        }
        let texts = try dates.sorted().map { count in
            try #require(Date(timeIntervalSinceReferenceDate: Double(count - 978_307_200_000) / 1000).iso8601)
        }
        #expect(texts == texts.sorted())
    }
}
