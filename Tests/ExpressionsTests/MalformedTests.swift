import SetteeDocumentValues
import SetteeExpressions
import SetteeSelectorSupport
import StorageConformance
import StorageProtocol
import Testing

/// Selectors that are wrong in any way are refused, soon and with a reason.
@Suite struct MalformedTests {
    /// Reads a selector, plans with it, and matches a document. Returns the error of reading it.
    private func read(_ text: [UInt8]) throws -> StorageError? {
        let selector: MangoSelector
        do throws(StorageError) {
            selector = try MangoSelector(json: text.span.bytes)
        } catch { return error }
        for path in selector.fields {
            _ = selector.remainder(knowing: [path: selector.ranges(of: path)])
        }
        #expect(implies(selector, selector))
        _ = selector.alternatives
        let body = Array(#"{"a":[1,{"b":"x"}],"b":"abc","c":12.5}"#.utf8)
        do throws(StorageError) {
            _ = try selector.matches(body.span.bytes, id: "doc1", revision: RevisionID("1-a"))
        } catch { #expect([.badRequest, .tooLarge].contains(error.code), "\(error)") }
        return nil
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomOnes(seed: UInt64) throws {
        var maker = SelectorMaker(generator: SeededGenerator(seed: seed))
        var refused = 0
        for _ in 0..<2500 {
            var text = Array(maker.selector(3).description.utf8)
            for _ in 0...maker.generator.below(3) {
                let position = maker.generator.below(text.count)
                switch maker.generator.below(4) {
                case 0: text[position] = UInt8(maker.generator.below(256))
                case 1: text.remove(at: position)
                case 2: text.insert(maker.pick(Array("{}[]\",:.$\\0".utf8)), at: position)
                default:
                    text.insert(
                        contentsOf: Array(maker.pick([#""$not":{"#, "null", "[]", "{}", "1e400"]).utf8),
                        at: position
                    )
                }
                if text.isEmpty { text = [0] }
            }
            guard let error = try read(text) else { continue }
            refused += 1
            #expect(
                error.code == .badRequest && !error.message.isEmpty,
                "\(String(decoding: text, as: UTF8.self)): \(error)"
            )
        }
        #expect(refused > 1000, "\(refused)")
    }

    @Test func largeOnes() throws {
        let start = ContinuousClock.now
        let nested = Array((String(repeating: #"{"a":"#, count: 511) + "1" + String(repeating: "}", count: 511)).utf8)
        #expect(try read(nested) == nil)
        let values = (0..<100_000).map(String.init).joined(separator: ",")
        #expect(try read(Array("{\"a\":{\"$in\":[\(values)]},\"b\":{\"$nin\":[\(values)]}}".utf8)) == nil)
        let text = String(repeating: "x", count: 1 << 20)
        #expect(try read(Array(#"{"a":{"$regex":"\#(text)"}}"#.utf8))?.code == .badRequest)
        #expect(try read(Array(#"{"a":{"$beginsWith":"\#(text)"}}"#.utf8)) == nil)
        #expect(try read(Array(#"{"b":{"$regex":"^(([a-c])+.)+$"}}"#.utf8)) == nil)
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
