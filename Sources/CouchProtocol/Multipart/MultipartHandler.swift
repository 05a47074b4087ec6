/// Receives what a `MultipartReader` finds.
///
/// The order of the calls is `partBegins`, any number of `content`, `partEnds`, for each part, then `messageEnds`. An
/// error ends the reading: it is thrown by the reader's `push`, and no more calls follow.
public protocol MultipartHandler {
    mutating func partBegins(_ headers: MultipartHeaders) throws(CouchError)
    /// - Parameter bytes: The next bytes of the part, at least one. They are lent: copy what is kept.
    mutating func content(_ bytes: RawSpan) throws(CouchError)
    mutating func partEnds() throws(CouchError)
    mutating func messageEnds() throws(CouchError)
}
