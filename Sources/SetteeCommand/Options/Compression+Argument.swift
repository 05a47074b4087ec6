public import ArgumentParser
public import Settee

extension Compression: ExpressibleByArgument {}
