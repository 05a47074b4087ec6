internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeDocumentValues

@Suite struct KeyPrefixTests {
    @Test func theLevelSaysWhatIsAPrefix() throws {
        let cases: [(endKey: String, level: Int, matching: [String], others: [String])] = [
            (#""fo""#, 1, [#""fo""#, #""foo""#, #""fo\n""#], [#""f""#, #""Foo""#, #""fp""#, "1", #"["fo"]"#]),
            (#""fo""#, 0, [#""fo""#], [#""foo""#]),
            (#""fo""#, 2, [#""foo""#], [#"["foo"]"#]),
            (#""""#, 1, [#""""#, #""x""#], ["[]", "null"]),
            (#""a\"""#, 1, [#""a\"b""#], [#""a\\""#, #""a""#]),
            ("[1]", 1, ["[1]", #"[1,"x"]"#, "[1,[2]]"], ["[2]", "[]", "[10]", "1", #"{"a":1}"#]),
            ("[]", 1, ["[]", "[1]"], [#""a""#, "{}"]),
            (
                #"[1,"x"]"#, 2, [#"[1,"x"]"#, #"[1,"xtc"]"#, #"[1,"xt",5]"#],
                [#"[1,"y"]"#, #"[2,"xtc"]"#, "[1]", "[1,9]"]
            ),
            (#"[1,["a"]]"#, 2, [#"[1,["a"]]"#, #"[1,["a","b"],2]"#], [#"[1,["b"]]"#, #"[1,"a"]"#]),
            (#"[[1,"x"]]"#, 3, [#"[[1,"xy"]]"#, #"[[1,"xy"],2]"#], [#"[[1,"y"]]"#, #"[[1]]"#, "[1]", "[]"]),
            (#"[1,2]"#, 2, ["[1,2]"], ["[1,2,3]", "[1,20]", "[1]"]),
            ("5", 1, ["5"], ["50", #""5""#]),
            (#"{"a":1}"#, 1, [#"{"a":1}"#], [#"{"a":1,"b":2}"#, "{}"]),
            ("[]", 2, ["[]"], ["[1]"]),
            ("true", 3, ["true"], ["false"]),
        ]
        for collator in [Collator.unicode, .raw] {
            for (endKey, level, matching, others) in cases {
                let prefix = try makePrefix(endKey, level, collator)
                for json in matching {
                    #expect(prefix.matches(json), "\(endKey) at \(level): \(json)")
                    #expect(try prefix.covers(collator.key(json)), "\(endKey) at \(level): \(json)")
                }
                for json in others { #expect(!prefix.matches(json), "\(endKey) at \(level): \(json)") }
            }
        }
    }

    /// Strings match by their bytes, what comes before them according to the collation.
    @Test func stringsMatchByBytesAndElementsByCollation() throws {
        let composed = "\u{e9}"
        let decomposed = "e\u{301}"
        #expect(try !makePrefix("\"\(composed)\"", 1, .unicode).matches("\"\(decomposed)x\""))
        #expect(try makePrefix("\"e\"", 1, .unicode).matches("\"\(decomposed)x\""))
        let elements = try makePrefix("[\"\(composed)\",\"x\"]", 2, .unicode)
        #expect(elements.matches("[\"\(decomposed)\",\"xy\"]"))
        #expect(try makePrefix("[\"\(composed)\"]", 1, .unicode).matches("[\"\(decomposed)\",1]"))
        #expect(try !makePrefix("[\"\(composed)\"]", 1, .raw).matches("[\"\(decomposed)\",1]"))
        #expect(try makePrefix("[\"\(composed)\",1]", 2, .unicode).matches("[\"\(decomposed)\",1]"))
    }

    /// Texts whose extensions ICU sorts before them, or far after: a bound made by appending the highest character
    /// would miss these.
    @Test(arguments: [
        [#"\u0e40"#, #"\u0e40\u0e01"#],  // a Thai vowel, ordered behind the consonant that follows
        [#"\u0ec0"#, #"\u0ec0\u0e81"#],
        [#"\u0438"#, #"\u0438\u0306"#],  // a letter of its own
        [#"\u0438\u0327"#, #"\u0438\u0327\u0306"#],
        [#"\u0fb2"#, #"\u0fb2\u0f71\u0f80"#],
        [#"\u0fb2\u0f71"#, #"\u0fb2\u0f71\u0f80"#],
        [#"\ufdd1"#, #"\ufdd1A"#],
        ["a", #"a\uffff\uffff"#], ["a", "A"], ["a", #"a\ufffe"#], ["x", #"x\u0301"#], ["", #"\uffff"#],
        [#"\u0000"#, #"\u0000a"#], ["z", #"z\udbff\udfff"#],
    ])
    func longerTextsLieWithinTheBounds(texts: [String]) throws {
        let prefix = try makePrefix("\"\(texts[0])\"", 1, .unicode)
        #expect(try prefix.covers(Collator.unicode.key("\"\(texts[1])\"")))
        let nested = try makePrefix("[1,\"\(texts[0])\"]", 2, .unicode)
        #expect(try nested.covers(Collator.unicode.key("[1,\"\(texts[1])\",2]")))
    }

    /// How precise a prefix is: texts with other letters are outside its bounds.
    @Test func theBoundsAreNarrow() throws {
        for (text, other) in [("fo", "fp"), ("fo", "fn"), ("\u{e40}\u{e01}", "\u{e40}\u{e02}"), ("\u{e9}", "f")] {
            let prefix = try makePrefix(quoted(text), 1, .unicode)
            #expect(try !prefix.covers(Collator.unicode.key(quoted(other))), "\(text), \(other)")
        }
    }

    /// Every extension of a text is within the bounds and matches, whatever it is made of; especially of what ICU
    /// treats as a unit.
    @Test(arguments: 0..<6 as Range<UInt64>)
    func everyExtensionLiesWithinTheBounds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let contractions = try #require(ICUStrings.shared.contractions())
        for step in 0..<2_000 {
            let collator = step % 8 == 0 ? Collator.raw : .unicode
            let text = randomText(&random, contractions, parts: random.below(4))
            let longer = text + randomText(&random, contractions, parts: 1 + random.below(3))
            let prefix = try makePrefix(quoted(text), 1, collator)
            let key = try collator.key(quoted(longer))
            let json = try canonical(quoted(longer))
            #expect(
                prefix.covers(key) && prefix.matches(json),
                "seed \(seed): \(scalars(text)), \(scalars(longer))"
            )
            let inArray = try makePrefix("[null,\(quoted(text))]", 2, collator)
            let arrayKey = try collator.key("[null,\(quoted(longer)),0]")
            #expect(inArray.covers(arrayKey) && inArray.matches("[null,\(json),0]"), "seed \(seed)")
        }
    }

    /// For any two texts, matching agrees with cutting strings and comparing their bytes.
    @Test func matchingIsComparingBytes() throws {
        let texts = CollationOrderTests.strings + ["e\u{301}", "\"", "\\", "\\n", "\n", "\u{1}", "a\u{0}"]
        for text in texts {
            let prefix = try makePrefix(quoted(text), 1, .unicode)
            for other in texts {
                let json = try canonical(quoted(other))
                #expect(prefix.matches(json) == Array(other.utf8).starts(with: text.utf8), "\(text), \(other)")
            }
        }
    }

    private func makePrefix(_ endKey: String, _ level: Int, _ collator: Collator) throws -> KeyPrefix {
        let bytes = Array(try canonical(endKey).utf8)
        return try unsafe KeyPrefix(endKey: bytes.span.bytes, level: level, collator: collator)
    }

    private func randomText(
        _ random: inout SeededGenerator,
        _ contractions: [[Unicode.Scalar]],
        parts: Int
    ) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<parts {
            switch random.below(6) {
            case 0...1:
                let whole = contractions[random.below(contractions.count)]
                text.append(contentsOf: whole[..<(1 + random.below(whole.count))])
            case 2: text.append(contentsOf: contractions[random.below(contractions.count)].dropFirst())
            case 3:
                let marks: [Unicode.Scalar] = [
                    "\u{301}", "\u{306}", "\u{327}", "\u{323}", "\u{f80}", "\u{e38}", "\u{94d}",
                ]
                text.append(marks[random.below(marks.count)])
            case 4: text.append(contentsOf: CollationOrderTests.strings[random.below(60)].unicodeScalars)
            default: text.append(Unicode.Scalar(UInt32(random.below(0x11_0000))) ?? "\u{439}")
            }
        }
        return String(text)
    }

    private func scalars(_ text: String) -> String {
        text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}

extension KeyPrefix {
    fileprivate func matches(_ json: String) -> Bool {
        let bytes = Array(json.utf8)
        return unsafe matches(keyJSON: bytes.span.bytes)
    }

    fileprivate func covers(_ key: [UInt8]) -> Bool {
        compareBytes(lowerBound, key) <= 0 && compareBytes(key, upperBound) < 0
    }
}
