extension MultipartReader {
    /// - Throws: `too_large` (413) if there are too many parts.
    mutating func beginHeaders() throws(CouchError) {
        guard parts < limits.parts else { throw .tooLarge }
        parts += 1
        headers = MultipartHeaders()
        headerBytes = 0
        line = []
    }

    /// Takes a byte of the headers, and returns what comes next.
    ///
    /// - Throws: `bad_request` (400) for a malformed header, and for too many or too long ones.
    mutating func readHeader(_ byte: UInt8, _ handler: inout some MultipartHandler) throws(CouchError) -> State {
        headerBytes += 1
        guard headerBytes <= limits.headerBytes else {
            throw .badRequest("The headers of a part are longer than \(limits.headerBytes) bytes.")
        }
        guard byte == ASCII.lineFeed else {
            line.append(byte)
            return .headers
        }
        // A CR anywhere else is a control character, and the header is refused for it.
        guard line.popLast() == ASCII.carriageReturn else { throw MultipartHeaders.malformed }
        if line.isEmpty {
            try handler.partBegins(headers)
            // The line end that ends the headers may also begin the delimiter, if there is no content.
            (matched, carried, borrowed) = (2, 2, 2)
            return .content
        }
        guard headers.fields.count < limits.headers else {
            throw .badRequest("A part has more than \(limits.headers) headers.")
        }
        try headers.append(line: line)
        line = []
        return .headers
    }
}
