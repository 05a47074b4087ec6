internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import SetteeCouchProtocol

/// The head of an answer, and the rest as it comes.
struct RemoteResponse: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: RemoteBody
    /// What no message may show: the login that was sent, if the server repeats it.
    let secrets: [String]

    /// - Throws: `badAnswer` for a coding other than gzip and deflate.
    init(
        _ response: HTTPClientResponse,
        _ status: Int,
        keepsEncoding: Bool,
        secrets: [String],
        brokenAnswers: BrokenAnswers
    ) throws(PeerError) {
        self.status = status
        self.secrets = secrets
        headers = response.headers
        var inflater: GzipInflater?
        do throws(CouchError) {
            let coding = try ContentCoding(header: response.headers.first(name: "content-encoding"))
            if !keepsEncoding, let format = coding.format {
                inflater = try GzipInflater(format, limits: InflationLimits(bytes: .max))
            }
        } catch {
            throw .badAnswer("encoded in a way that was not asked for")
        }
        body = RemoteBody(response, inflater, brokenAnswers)
    }

    var isSuccess: Bool { 200..<300 ~= status }

    /// The type of the content, in lower case, without parameters.
    var contentType: String { (try? HeaderValue(headers.first(name: "content-type") ?? ""))?.value ?? "" }

    /// The error of an answer that is no success. Reads the beginning of its body.
    func failure() async -> PeerError {
        let bytes = (try? await body.beginning(of: 16 << 10)) ?? []
        var error = PeerError(status: status, body: bytes, headers: headers)
        for secret in secrets { error.message = error.message.replacingOccurrences(of: secret, with: "...") }
        return error
    }
}
