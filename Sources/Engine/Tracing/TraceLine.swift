/// A line of a trace that is being made: an object, without its end. Names and values need no escapes.
struct TraceLine {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(160) }

    private mutating func name(_ name: StaticString) {
        bytes += bytes.isEmpty ? [0x7B, 0x22] : [0x2C, 0x22]
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes += [0x22, 0x3A]
    }

    mutating func number(_ name: StaticString, _ value: some BinaryInteger) {
        self.name(name)
        bytes += String(value).utf8
    }

    mutating func flag(_ name: StaticString, _ value: Bool) {
        guard value else { return }
        self.name(name)
        bytes += Array("true".utf8)
    }

    mutating func text(_ name: StaticString, _ value: String) { text(name, Array(value.utf8)) }

    mutating func text(_ name: StaticString, _ value: [UInt8]) {
        self.name(name)
        quote(value)
    }

    mutating func texts(_ name: StaticString, _ values: [[UInt8]]) {
        self.name(name)
        bytes.append(0x5B)
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            quote(value)
        }
        bytes.append(0x5D)
    }

    mutating func numbers(_ name: StaticString, _ values: [UInt64]) {
        self.name(name)
        bytes += ("[" + values.map(String.init).joined(separator: ",") + "]").utf8
    }

    private mutating func quote(_ value: [UInt8]) {
        bytes.append(0x22)
        bytes += value
        bytes.append(0x22)
    }
}
