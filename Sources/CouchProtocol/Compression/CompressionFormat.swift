/// What stands around deflated data.
public enum CompressionFormat: Sendable {
    /// RFC 1952, with a CRC-32 and the length.
    case gzip
    /// RFC 1950, with an Adler-32: what HTTP calls deflate.
    case zlib

    /// What zlib calls it: the largest window, with the format coded into the number.
    var windowBits: Int32 { self == .gzip ? 16 + 15 : 15 }
}
