internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

/// Random values, and random ways to write them.
struct JSONRandom {
    var random: SeededGenerator

    mutating func value(depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth > 4 ? 7 : 10), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .int(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 3: return .uint(random.next())
        case 4:
            let value = Double(bitPattern: random.next())
            return .double(value.isFinite ? value : 0.5)
        case 5: return .double(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1000)
        case 6: return .string(string())
        case 7: return .array((0..<Int.random(in: 0..<6, using: &random)).map { _ in value(depth: depth + 1) })
        default:
            let count = Int.random(in: 0..<(depth == 0 ? 40 : 6), using: &random)
            return .object(JSONObject((0..<count).map { _ in (string(), value(depth: depth + 1)) }))
        }
    }

    mutating func string() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let pool: [ClosedRange<UInt32>] = [
                0x61...0x63, 0...0x7F, 0xE000...0xFFFF, 0x10000...0x10FFFF, 0x80...0xD7FF,
            ]
            let range = pool[Int.random(in: 0..<pool.count, using: &random)]
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// A text of the value that is not canonical: white space, shuffled and overridden members, escapes.
    mutating func text(of value: JSONValue) -> String {
        switch value {
        case .array(let elements):
            return "[" + space() + elements.map { text(of: $0) + space() }.joined(separator: ",") + "]"
        case .object(let object):
            var members = object.map { quoted($0.key) + space() + ":" + text(of: $0.value) }
            members.shuffle(using: &random)
            if let first = object.first { members.insert(quoted(first.key) + ":[1 ]", at: 0) }
            return space() + "{" + members.joined(separator: space() + "," + space()) + "}"
        case .string(let text): return quoted(text)
        default: return space() + value.description
        }
    }

    private mutating func space() -> String { ["", "", " ", "\n", "\t", "\r\n  "].randomElement(using: &random) ?? "" }

    private mutating func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || Int.random(in: 0..<4, using: &random) == 0 {
                for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                    let digits = String(0x10000 + Int(unit), radix: 16, uppercase: .random(using: &random)).dropFirst()
                    quoted += "\\u" + digits
                }
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

@Suite("Random JSON")
struct JSONRandomTests {
    @Test("however a value is written, there is one canonical text, which reads back as the value")
    func idempotence() throws {
        for seed in 0..<UInt64(isStress ? 100_000 : 500) {
            var random = JSONRandom(random: SeededGenerator(seed: seed))
            let value = random.value()
            let bytes = try value.canonicalBytes()
            let expected = String(decoding: bytes, as: UTF8.self)
            #expect(try JSONValue(parsing: bytes) == value, "seed \(seed)")
            #expect(try canonical(bytes) == expected, "seed \(seed)")
            let other = random.text(of: value)
            #expect(try canonical(other) == expected, "seed \(seed)")
            let read = try JSONValue(parsing: other)
            #expect(read == value, "seed \(seed)")
            #expect(read.hashValue == value.hashValue, "seed \(seed)")
        }
    }

    @Test("damaged texts are refused or read, and never trap")
    func damage() throws {
        var parser = JSONParser()
        for seed in 0..<UInt64(isStress ? 200_000 : 1000) {
            var random = JSONRandom(random: SeededGenerator(seed: seed))
            var bytes = Array(random.text(of: random.value()).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random.random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random.random)
                switch Int.random(in: 0..<3, using: &random.random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random.random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(Array("[]{}\",:\\0-e.".utf8).randomElement(using: &random.random) ?? 0, at: place)
                }
            }
            do {
                try unsafe parser.parse(bytes.span.bytes)
            } catch {
                #expect(error.code == .badJSON, "seed \(seed)")
                continue
            }
            let root = parser.root
            var output: [UInt8] = []
            parser.writeCanonical(try #require(root), into: &output)
            #expect(try Array(canonical(output).utf8) == output, "seed \(seed)")
        }
    }

    /// Names and strings of the marks that JSON has between strings, so that one seems to stand where it does not.
    @Test("a pointer finds its target among names of marks")
    func marks() throws {
        for seed in 0..<UInt64(isStress ? 200_000 : 4_000) {
            var random = SeededGenerator(seed: seed)
            func text() -> String {
                String(
                    (0..<Int.random(in: 0...3, using: &random)).map { _ in ":,{}[]\"\\1".randomElement(using: &random)!
                    }
                )
            }
            func object(_ depth: Int) -> JSONObject {
                var members: JSONObject = [:]
                for _ in 0..<Int.random(in: 2...9, using: &random) {
                    switch Int.random(in: 0...(depth > 0 ? 3 : 2), using: &random) {
                    case 0: members[text()] = .int(Int64.random(in: 0...9, using: &random))
                    case 1: members[text()] = .array([.string(text()), .string(text())])
                    case 2: members[text()] = .string(text())
                    default: members[text()] = .object(object(depth - 1))
                    }
                }
                return members
            }
            let value = JSONValue.object(object(2))
            let bytes = try value.canonicalBytes()
            for name in Set((0..<4).map { _ in text() } + (value.objectValue?.map(\.key) ?? [])) {
                let pointer = JSONPointer(names: [name])
                #expect(
                    try unsafe JSONScanner.value(at: pointer, in: bytes.span.bytes) == value[pointer],
                    "seed \(seed)"
                )
            }
        }
    }

    @Test("a pointer finds its target in canonical text, and nothing in damaged text traps")
    func scanner() throws {
        for seed in 0..<UInt64(isStress ? 50_000 : 300) {
            var random = JSONRandom(random: SeededGenerator(seed: seed))
            let value = random.value()
            var bytes = try value.canonicalBytes()
            var names: [String] = []
            var place = value
            while true {
                let pointer = JSONPointer(names: names)
                #expect(value[pointer] == place, "seed \(seed)")
                let found = try unsafe JSONScanner.value(at: pointer, in: bytes.span.bytes)
                #expect(found == place, "seed \(seed), \(pointer)")
                #expect(try JSONPointer(pointer.description) == pointer, "seed \(seed)")
                let missing = unsafe JSONScanner.range(
                    of: JSONPointer(names: names + ["nothing"]),
                    in: bytes.span.bytes
                )
                #expect(missing == nil, "seed \(seed)")
                if let (key, member) = place.objectValue?.randomElement(using: &random.random) {
                    names.append(key)
                    place = member
                } else if let index = place.arrayValue?.indices.randomElement(using: &random.random) {
                    names.append(String(index))
                    place = try #require(place[index])
                } else {
                    break
                }
            }
            for _ in 0..<20 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random.random)] = UInt8.random(
                    in: 0...255,
                    using: &random.random
                )
                let cut = Array(bytes[..<Int.random(in: 0...bytes.count, using: &random.random)])
                if let range = unsafe JSONScanner.range(of: JSONPointer(names: names), in: cut.span.bytes) {
                    #expect(range.upperBound <= cut.count, "seed \(seed)")
                }
            }
        }
    }
}
