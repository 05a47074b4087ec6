public import ArgumentParser
public import Settee

extension Compression: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(rawValue: argument)
        guard Compression.allCases.contains(self) else { return nil }
    }

    public static var allValueStrings: [String] { allCases.map(\.rawValue) }
}
