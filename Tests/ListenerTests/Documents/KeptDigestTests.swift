internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Settee
internal import SetteeEngine
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Digests of contents that did not come by HTTP.
@Suite struct KeptDigestTests {
    @Test(
        "they are computed at the first request and kept",
        arguments: [StorageType.memory, .sqlite, .lmdb],
        ["/db/a", "/db/_all_docs?include_docs=true", "/db/_changes?include_docs=true"]
    )
    func kept(type: StorageType, path: String) async throws {
        try await withListener(type) { bed in
            let database = try bed.database
            let content = Data("Little, Big".utf8)
            let sha1 = Array(Insecure.SHA1.hash(data: content))
            let data = content.base64EncodedString()
            _ = try database["a"].put(json: #"{"_attachments":{"x":{"data":"\#(data)"}}}"#)
            #expect(try await bed.send(.get, path).text.contains("md5-"))
            try await eventually {
                let kept = try database.withReadTransaction { (transaction) throws(StorageError) in
                    try transaction.indexEntry("attachments-md5", key: sha1)
                }
                return kept != nil
            }
            // Not computed again.
            #expect(try await bed.send(.get, path).text.contains("md5-"))
            #expect(!database.hasComputedMD5s)
        }
    }
}
