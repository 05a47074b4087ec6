internal import Foundation
internal import Testing

@testable internal import SetteeDocumentValues

/// Base64 is read strictly, but for white space.
@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("YWJj\nZGVm", "abcdef"),
        ("YWJj\r\nZGVm\r\n", "abcdef"),
        (" Y W\tI = ", "ab"), ("YQ=\n=", "a"), ("YWJj    ", "abc"), ("\n", ""),
    ]) func whatIsBase64(_ text: String, _ content: String) {
        #expect(Base64.decode(text) == Array(content.utf8))
    }

    @Test(arguments: [
        "====", "=", "ab=c", "YWJj=", "YWJj====", "notBase64Encoded=", "Y", "YQ", "YQ=", "YWI", "YWI==", "YQ===",
        "=YQ=",
        "YQ==YQ==", "YQ==x", "YW-_", "YW.j", "YWJj\u{0}", "YWJjé", "YWJj\u{a0}", "YWJj\u{b}",
    ]) func whatIsNot(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func everyLengthComesBack() {
        var generator = SystemRandomNumberGenerator()
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let data = Data(bytes)
            #expect(Base64.decode(data.base64EncodedString()) == bytes)
            #expect(Base64.decode(data.base64EncodedString(options: .lineLength76Characters)) == bytes)
        }
    }
}
