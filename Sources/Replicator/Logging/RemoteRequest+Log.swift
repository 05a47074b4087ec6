internal import NIOHTTP1
internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

extension RemoteRequest {
    /// What logs show: the method, the URL with tags for IDs of documents and without names of attachments, and the
    /// names of the query's options.
    func logged(at endpoint: RemoteEndpoint) -> String {
        var request = self
        if base == .database { request.path = loggedPath }
        let options = query.isEmpty ? "" : "?" + query.map { PercentCoding.encode($0.name) }.joined(separator: "&")
        return "\(method.rawValue) \(request.address(at: endpoint))\(options)"
    }

    private var loggedPath: String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isDesign = parts.count > 1 && parts[0].utf8.elementsEqual("_design".utf8)
        if !isDesign, path.isEmpty || path.utf8.first == UInt8(ascii: "_") { return path }
        let id = parts.prefix(isDesign ? 2 : 1).joined(separator: "/")
        let decoded = try? PercentCoding.decode(Array(id.utf8)[...])
        let tag = decoded.flatMap { try? DocumentID($0) }.map { Log.tag($0) } ?? "doc"
        return tag + (parts.count > (isDesign ? 2 : 1) ? "/attachment" : "")
    }
}
