import Testing

@testable import SetteeEngine

@Suite("The digest of a revision")
struct MD5Tests {
    /// Around one, two and three blocks, in two pieces that meet anywhere, and byte by byte.
    @Test func piecesOfAnyLength() {
        let message = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        for length in 0...message.count {
            let expected = MD5.hex(Array(message[..<length]))
            for first in 0...length {
                #expect(hex([Array(message[..<first]), Array(message[first..<length])]) == expected)
            }
            #expect(hex(message[..<length].map { [$0] }) == expected)
        }
    }

    private func hex(_ pieces: [[UInt8]]) -> String {
        var digest = SetteeEngine.MD5()
        for piece in pieces { piece.withUnsafeBytes { digest.update($0) } }
        let (high, low) = digest.finalize()
        return [high, low].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
