internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Contents that come as base64 in a document.
@Suite struct Base64ContentTests {
    @Test(arguments: ListenerBed.types) func whatIsNotBase64IsRefused(_ type: StorageType) async throws {
        try await withListener(type) { bed in
            for (place, text) in ["====", "ab=c", "YWJj=", "YWJj====", "notBase64Encoded=", "YQ"].enumerated() {
                let json = #"{"_attachments":{"a":{"data":"\#(text)"}}}"#
                let reply = try await bed.send(.put, "/db/bad\(place)", json)
                #expect(reply.status == 400, "\(text)")
                #expect(try await bed.send(.get, "/db/bad\(place)").status == 404)
            }
            for (place, text) in [#"YWJj\nZGVm"#, #"YWJj\r\nZGVm\r\n"#, " YW Jj ZGVm "].enumerated() {
                let json = #"{"_attachments":{"a":{"data":"\#(text)"}}}"#
                let reply = try await bed.send(.put, "/db/good\(place)", json)
                #expect(reply.status == 201, "\(text)")
                #expect(try await bed.send(.get, "/db/good\(place)/a").text == "abcdef")
            }
        }
    }
}
