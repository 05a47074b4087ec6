public import ArgumentParser
public import Settee

extension Durability: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(rawValue: argument)
        guard Durability.allCases.contains(self) else { return nil }
    }

    public static var allValueStrings: [String] { allCases.map(\.rawValue) }
}
