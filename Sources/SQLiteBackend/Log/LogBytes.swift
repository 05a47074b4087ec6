/// The bytes of a log, wherever they are read from.
protocol LogBytes {
    /// Fills `bytes`, and returns whether the log has this many bytes there.
    func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool
}

/// The log of an open connection, through SQLite's own descriptor.
struct ConnectionLog: LogBytes {
    let connection: Connection

    func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool {
        unsafe connection.readLog(bytes, at: offset)
    }
}
