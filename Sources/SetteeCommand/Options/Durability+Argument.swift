public import ArgumentParser
public import Settee

extension Durability: ExpressibleByArgument {}
