/// Takes the text before the first boundary.
struct DiscardedText: MultipartHandler {
    func partBegins(_ headers: MultipartHeaders) {}
    func content(_ bytes: RawSpan) {}
    func partEnds() {}
    func messageEnds() {}
}
