internal import StorageProtocol

/// Encodes one JSON value as its collation key, in one pass and without recursion.
struct KeyEncoder: ~Copyable {
    /// Nil: strings are ordered by their bytes.
    private let strings: ICUStrings?
    private let tags: KeyTags
    var writer: KeyWriter
    private var offset = 0
    private var containers = ContainerStack()

    init(strings: ICUStrings?, writer: consuming KeyWriter) {
        self.strings = strings
        self.tags = Collator(strings: strings).tags
        self.writer = writer
    }

    mutating func encode(_ json: RawSpan) throws(StorageError) {
        var goesOn = true
        while goesOn {
            try value(json)
            goesOn = try hasNext(json)
            guard writer.count <= Collator.maximumKeyLength else {
                throw StorageError(
                    .tooLarge,
                    "The collation key has more than \(Collator.maximumKeyLength) bytes. Use a shorter key."
                )
            }
        }
        guard next(json) == nil else { throw KeyText.malformed("text follows the value") }
    }

    /// Encodes a value up to its first element or member, if it has any.
    private mutating func value(_ json: RawSpan) throws(StorageError) {
        while true {
            guard let byte = next(json) else { throw KeyText.malformed("a value is missing") }
            switch byte {
            case UInt8(ascii: "\""):
                try string(json)
                return
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                try number(json)
                return
            case UInt8(ascii: "["):
                try open(isObject: false)
                if next(json) == UInt8(ascii: "]") { return }
            case UInt8(ascii: "{"):
                try open(isObject: true)
                if next(json) == UInt8(ascii: "}") { return }
                try name(json)
            default:
                try literal(json)
                return
            }
        }
    }

    /// Closes the containers that end here, and returns whether another value follows.
    private mutating func hasNext(_ json: RawSpan) throws(StorageError) -> Bool {
        while containers.depth > 0 {
            let isObject = containers.top
            let byte = next(json)
            guard let byte else { throw KeyText.malformed("an array or object does not end") }
            offset += 1
            if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                writer.append(KeyTags.end)
                containers.pop()
                continue
            }
            // An empty container is handled earlier, when its end is read.
            guard byte == UInt8(ascii: ",") else { throw KeyText.malformed("a comma is missing") }
            if isObject { try name(json) }
            return true
        }
        return false
    }

    private mutating func open(isObject: Bool) throws(StorageError) {
        guard containers.depth < Collator.maximumDepth else {
            throw KeyText.malformed("it is nested more than \(Collator.maximumDepth) deep")
        }
        offset += 1
        containers.push(isObject)
        writer.append(isObject ? tags.object : tags.array)
    }

    private mutating func name(_ json: RawSpan) throws(StorageError) {
        guard next(json) == UInt8(ascii: "\"") else { throw KeyText.malformed("a member has no name") }
        try string(json)
        guard next(json) == UInt8(ascii: ":") else { throw KeyText.malformed("a colon is missing") }
        offset += 1
    }

    private mutating func literal(_ json: RawSpan) throws(StorageError) {
        if KeyText.matches("null", json, offset) {
            offset += 4
            writer.append(tags.null)
        } else if KeyText.matches("false", json, offset) {
            offset += 5
            writer.append(tags.false)
        } else if KeyText.matches("true", json, offset) {
            offset += 4
            writer.append(tags.true)
        } else {
            throw KeyText.malformed("a value is missing")
        }
    }

    private mutating func number(_ json: RawSpan) throws(StorageError) {
        let number = try KeyNumber(json, &offset)
        number.append(to: &writer)
    }

    private mutating func string(_ json: RawSpan) throws(StorageError) {
        let text = try KeyText.string(json, &offset)
        writer.append(tags.string)
        if let strings {
            try strings.append(text, of: json, to: &writer)
        } else {
            try text.appendBytes(of: json, to: &writer)
        }
    }

    /// Returns the next byte that is not white space, without moving past it.
    @inline(__always)
    private mutating func next(_ json: RawSpan) -> UInt8? {
        while offset < json.byteCount {
            let byte = unsafe json.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if byte > 0x20 { return byte }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            offset += 1
        }
        return nil
    }
}
