import Foundation
import SetteeDocumentValues
import SetteeExpressions
import StorageProtocol
import Testing

/// Limits of regular expressions, and their use on many threads.
@Suite struct PatternTests {
    /// Returns whether a document whose `a` is this text matches.
    private static func matches(_ selector: MangoSelector, _ text: String) throws -> Bool {
        let body = try JSONValue.object(["a": .string(text)]).canonicalBytes()
        return try selector.matches(body.span.bytes, id: "b", revision: RevisionID("1-a"))
    }

    /// The first two step back without end; the others read the rest of the text from each place without a step back.
    @Test(arguments: ["^(a+)+$", "(a|aa)*c", "(?>a*)c", "(?>[ab]*)c", "((?>a*)c|a)*d"])
    func endlessSearchesAreEnded(pattern: String) throws {
        let selector = try MangoSelector(["a": ["$regex": .string(pattern)]])
        let text = String(repeating: "a", count: 200_000) + "b"
        let start = ContinuousClock.now
        let error = #expect(throws: StorageError.self) { try PatternTests.matches(selector, text) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasPrefix("The pattern of $regex needs too much time") == true)
        // Processor time is limited to half a second. This is time on the clock of a machine that may be busy.
        #expect(ContinuousClock.now - start < .seconds(60))
        // The pattern can be used again.
        #expect(try !PatternTests.matches(selector, "x"))
    }

    /// All searches in one document share the time, also those that end before anyone looks at it.
    @Test(arguments: [("(?>a*)c", 5000, 5000), ("^(a+)+$", 10, 200_000)])
    func manySearchesAreEnded(pattern: String, length: Int, count: Int) throws {
        let selector = try MangoSelector(["a": ["$elemMatch": ["$regex": .string(pattern)]]])
        let text = JSONValue.string(String(repeating: "a", count: length) + "b")
        let body = try JSONValue.object(["a": .array(Array(repeating: text, count: count))]).canonicalBytes()
        let error = #expect(throws: StorageError.self) {
            try selector.matches(body.span.bytes, id: "b", revision: RevisionID("1-a"))
        }
        #expect(error?.message.hasPrefix("The pattern of $regex needs too much time") == true)
    }

    @Test func deepBacktrackingIsBounded() throws {
        let selector = try MangoSelector(["a": ["$regex": "^(?:(a)|(b)|(c))*$"]])
        #expect(try PatternTests.matches(selector, String(repeating: "abc", count: 1000)))
        let long = String(repeating: "abc", count: 80_000)
        let error = #expect(throws: StorageError.self) { try PatternTests.matches(selector, long) }
        #expect(error?.code == .badRequest)
    }

    @Test func ordinaryPatternsSearchLongStrings() throws {
        let long = String(repeating: "lorem ipsum ", count: 20_000)
        for (pattern, isMatch) in [("dolor", false), ("ipsum $", true), ("[x-z]+", false), ("^.*sit", false)] {
            let selector = try MangoSelector(["a": ["$regex": .string(pattern)]])
            #expect(try PatternTests.matches(selector, long) == isMatch, "\(pattern)")
        }
    }

    @Test func stringsBeyondTheLimitAreRefused() throws {
        let selector = try MangoSelector(["a": ["$regex": "a"]])
        // The limit includes the quotes.
        let fits = String(repeating: "a", count: MangoSelector.maximumSearchedLength - 2)
        #expect(try PatternTests.matches(selector, fits))
        let error = #expect(throws: StorageError.self) { try PatternTests.matches(selector, fits + "a") }
        #expect(error?.code == .tooLarge)
    }

    @Test func patternsAreLimitedTogether() throws {
        func selector(_ lengths: Int...) -> JSONValue {
            ["a": ["$or": .array(lengths.map { ["$regex": .string(String(repeating: "x", count: $0))] })]]
        }
        let limit = MangoSelector.maximumPatternLength
        _ = try MangoSelector(selector(limit))
        _ = try MangoSelector(selector(limit / 2, limit / 2))
        for refused in [selector(limit + 1), selector(limit / 2, limit / 2 + 1)] {
            let error = #expect(throws: StorageError.self) { try MangoSelector(refused) }
            #expect(error?.message.hasPrefix("Bad argument for operator $regex") == true)
        }
    }

    private static func filled(with text: String) -> String {
        String(repeating: text, count: MangoSelector.maximumPatternLength / text.utf16.count)
    }

    private static let halves = String(repeating: "(", count: 2048) + String(repeating: ")", count: 2048)

    /// Patterns that take long, or much stack, to compile or to search with. They are refused or found not to match.
    @Test(arguments: [
        filled(with: "\\p{L}"), "(?i)" + filled(with: "\\p{L}").dropLast(5),
        "(?i)" + filled(with: "[\\p{L}x]").dropLast(8),
        filled(with: "("), halves, filled(with: "a?"), filled(with: "(a|"), filled(with: "["), filled(with: "(?="),
        halves.replacingOccurrences(of: "(", with: "[").replacingOccurrences(of: ")", with: "]"),
        filled(with: "(?<=a"), "((((((a{99}){99}){99}){99}){99}){99})", filled(with: "a{9}"), filled(with: "\\1"),
    ])
    func costlyPatterns(pattern: String) throws {
        let start = ContinuousClock.now
        do {
            _ = try PatternTests.matches(MangoSelector(["a": ["$regex": .string(pattern)]]), "aaaa")
        } catch let error as StorageError {
            #expect(error.code == .badRequest, "\(error)")
        }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func manyThreadsUseOneSelector() async throws {
        let selector = try MangoSelector(["a": ["$regex": "^x[0-9]*7$"], "_id": ["$gt": "a"]])
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try PatternTests.count(selector) }
            }
            var counts: [Int] = []
            for try await count in group { counts.append(count) }
            return counts
        }
        #expect(counts == Array(repeating: 200, count: 8))
    }

    private static func count(_ selector: MangoSelector) throws -> Int {
        var count = 0
        for number in 0..<2000 {
            if try PatternTests.matches(selector, "x\(number)") { count += 1 }
        }
        return count
    }
}
