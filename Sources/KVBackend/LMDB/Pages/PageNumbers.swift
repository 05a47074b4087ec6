/// Reads little-endian numbers of the data file. The caller has checked the offsets.
extension [UInt8] {
    func u16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }

    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }

    func u64(_ offset: Int) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }
}

/// Returns the sum, or nil if it overflows.
func checkedSum(_ numbers: UInt64...) -> UInt64? {
    var sum: UInt64 = 0
    for number in numbers {
        let (next, overflow) = sum.addingReportingOverflow(number)
        if overflow { return nil }
        sum = next
    }
    return sum
}
