internal import StorageProtocol

extension Conformance {
    static let indexRanges: [ConformanceTest] = [
        ConformanceTest("IndexRanges", "bounds of every kind take in what they say, in both directions") { context in
            let engine = try context.open()
            var all: [(key: String, id: String, emit: UInt32)] = []
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for (number, id) in ["a", "ab", "b"].enumerated() {
                    try tx.add(id)
                    let keys = ["k", "k", "ka", "l"]
                    try tx.emit("x", id, at: UInt64(number + 1), keys)
                    for (emit, key) in keys.enumerated() { all.append((key, id, UInt32(emit))) }
                }
            }
            all.sort { ($0.key, $0.id, $0.emit) < ($1.key, $1.id, $1.emit) }

            var positions: [IndexPosition] = []
            for key in ["", "k", "ka", "kb", "m"] {
                positions.append(IndexPosition(key: bytes(key)))
                for id in ["a", "aa", "b"] {
                    positions.append(IndexPosition(key: bytes(key), documentID: bytes(id)))
                    if id == "a" {
                        positions.append(IndexPosition(key: bytes(key), documentID: bytes(id), emit: 1))
                    }
                }
            }
            let bounds = [.open] + positions.flatMap { [IndexRange.Bound.including($0), .excluding($0)] }
            try engine.read { (tx) throws(StorageError) in
                for lower in bounds {
                    for upper in bounds {
                        let range = IndexRange(lower: lower, upper: upper)
                        let inside = all.filter { range.holds(bytes($0.key), bytes($0.id), $0.emit) }.map {
                            "\($0) \($1) \($2)"
                        }
                        context.equal(try tx.places(range, descending: false), inside, "rows in \(range)")
                        let backwards: [String] = inside.reversed()
                        context.equal(try tx.places(range, descending: true), backwards, "backwards in \(range)")
                    }
                }
            }
        },
        ConformanceTest("IndexRanges", "a scan resumes after (key, document, emit number)") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for n in 1...20 {
                    try tx.add("d\(n)")
                    try tx.emit("x", "d\(n)", at: UInt64(n), ["k", "k\(n % 3)", "k"])
                }
            }
            for descending in [false, true] {
                let whole = try engine.read { (tx) throws(StorageError) in try tx.places(.all, descending: descending) }
                var pieces: [String] = []
                var last: IndexPosition?
                while pieces.count <= whole.count {
                    let after = last.map(IndexRange.Bound.excluding) ?? .open
                    let range = descending ? IndexRange(upper: after) : IndexRange(lower: after)
                    var piece: [String] = []
                    try engine.read { (tx) throws(StorageError) in
                        try tx.indexRows("x", in: range, descending: descending) { (row) throws(StorageError) in
                            piece.append(row.place)
                            last = IndexPosition(
                                key: row.withKey { Array(copying: $0) },
                                documentID: row.withID { Array(copying: $0) },
                                emit: row.emit
                            )
                            return piece.count < 7
                        }
                    }
                    if piece.isEmpty { break }
                    pieces += piece
                }
                context.equal(pieces, whole, "batches of 7 join to the whole, descending: \(descending)")
            }
        },
    ]
}

extension IndexRowView {
    fileprivate var place: String {
        withKey { text($0) } + " " + withID { text($0) } + " \(emit)"
    }
}

extension ReadTransaction {
    fileprivate func places(_ range: IndexRange, descending: Bool) throws(StorageError) -> [String] {
        var places: [String] = []
        try indexRows("x", in: range, descending: descending) { (row) throws(StorageError) in
            places.append(row.place)
            return true
        }
        return places
    }
}

extension IndexRange {
    /// The definition that engines must fulfil.
    func holds(_ key: [UInt8], _ id: [UInt8], _ emit: UInt32) -> Bool {
        func order(_ position: IndexPosition) -> Int {
            let byKey = compareBytes(key, position.key)
            if byKey != 0 { return byKey }
            guard let other = position.documentID else { return 0 }
            let byID = compareBytes(id, other)
            if byID != 0 { return byID }
            guard let number = position.emit else { return 0 }
            return Int(emit) - Int(number)
        }
        let above =
            switch lower {
            case .open: true
            case .including(let position): order(position) >= 0
            case .excluding(let position): order(position) > 0
            }
        let below =
            switch upper {
            case .open: true
            case .including(let position): order(position) <= 0
            case .excluding(let position): order(position) < 0
            }
        return above && below
    }
}
