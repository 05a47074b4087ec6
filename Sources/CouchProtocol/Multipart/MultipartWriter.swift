/// Writes what stands around the contents of a multipart message. The contents themselves go straight to the receiver.
///
/// ```swift
/// var writer = MultipartWriter(boundary: MultipartBoundary(using: &generator))
/// send(writer.head(.json)); send(body)
/// send(try writer.head(.attachment("a.png", contentType: "image/png", length: 5))); send(picture)
/// send(writer.end())
/// ```
///
/// As CouchDB does it, nothing stands before the first boundary or behind the last one.
public struct MultipartWriter: Sendable {
    public let boundary: MultipartBoundary
    private var isFirst = true

    public init(boundary: MultipartBoundary) { self.boundary = boundary }

    /// Returns what stands before the content of the next part.
    public mutating func head(_ headers: MultipartHeaders) -> [UInt8] {
        var text = delimiter() + "\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Returns what stands behind the content of the last part.
    public mutating func end() -> [UInt8] { Array((delimiter() + "--").utf8) }

    private mutating func delimiter() -> String {
        defer { isFirst = false }
        return isFirst ? "--\(boundary)" : "\r\n--\(boundary)"
    }

    /// Returns the length of a whole message in bytes: its Content-Length. Nil if it is beyond 2^64 - 1.
    ///
    /// - Parameter parts: The headers of each part, and the number of bytes in its content.
    public static func length(
        boundary: MultipartBoundary,
        parts: some Sequence<(headers: MultipartHeaders, length: UInt64)>
    ) -> UInt64? {
        var writer = MultipartWriter(boundary: boundary)
        var length: UInt64 = 0
        for part in parts {
            let (withHead, overflow) = length.addingReportingOverflow(UInt64(writer.head(part.headers).count))
            let (withContent, overflows) = withHead.addingReportingOverflow(part.length)
            if overflow || overflows { return nil }
            length = withContent
        }
        let (whole, overflow) = length.addingReportingOverflow(UInt64(writer.end().count))
        return overflow ? nil : whole
    }
}
