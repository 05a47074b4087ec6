/// `$mod`: a whole number that leaves a remainder. As in Erlang, a remainder has the sign of the number divided.
struct Modulus: Sendable, Hashable {
    /// Not zero.
    private let divisor: UInt64
    private let remainder: WholeNumber

    /// Nil for the divisor 0. The divisor's sign changes nothing.
    init?(divisor: WholeNumber, remainder: WholeNumber) {
        guard divisor.magnitude != 0 else { return nil }
        self.divisor = divisor.magnitude
        self.remainder = remainder
    }

    func holds(for text: RawSpan) -> Bool {
        guard let rest = WholeNumber(text, modulo: divisor), rest.magnitude == remainder.magnitude else { return false }
        return remainder.magnitude == 0 || rest.isNegative == remainder.isNegative
    }
}
