/// Random identifiers of 32 hexadecimal digits, as CouchDB's.
enum RandomIdentifier {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(decoding: (0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] }, as: UTF8.self)
    }
}
