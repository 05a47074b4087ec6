/// Describes rows that cannot be read.
enum LostRows {
    static func text(_ table: String, _ range: ClosedRange<Int64>) -> String {
        let place =
            switch (range.lowerBound, range.upperBound) {
            case (let first, Int64.max): "from number \(first) on"
            case (let first, let last) where first == last: "at number \(first)"
            case (let first, let last): "from number \(first) to \(last)"
            }
        return "a part of the table '\(table)' cannot be read: rows \(place)"
    }
}
