extension PageWalk {
    private static let overflowFlag: UInt16 = 0x04
    /// How much of a large free-list record is read at a time.
    private static let chunk = 65_536

    /// Checks the values of a leaf page's entries.
    mutating func checkValues(of page: NodePage, _ tree: Tree, _ tally: inout Tally) throws(PageFault) {
        for index in 0..<page.count where !isFull {
            switch (page.flags(index), tree) {
            case (0, .freeList):
                let value = page.value(index)
                var list = FreeRecord(length: value.count)
                check(value, in: &list)
                finish(list, key: page.key(index))
            case (0, _):
                continue
            case (NodeFlags.overflow, _):
                try checkOverflow(of: page, index, tree, &tally)
            case (NodeFlags.tree, .main):
                addTable(page, index)
            case (let flags, _):
                report("\(tree): page \(page.number) has an entry with impossible flags, \(flags)")
            }
        }
    }

    private mutating func addTable(_ page: NodePage, _ index: Int) {
        let name = String(decoding: page.key(index).map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
        let value = page.value(index)
        guard value.count == TreeRecord.length else {
            return report("the record of the table '\(name)' has \(value.count) bytes, not \(TreeRecord.length)")
        }
        let record = TreeRecord(Array(value), at: 0)
        guard record.flags == 0, record.pad == 0 else {
            return report("the table '\(name)' has flags that no table of Settee has")
        }
        tables.append((name, record))
    }

    private mutating func checkOverflow(
        of page: NodePage,
        _ index: Int,
        _ tree: Tree,
        _ tally: inout Tally
    ) throws(PageFault) {
        guard mayRead() else { return }
        let first = Array(page.value(index)).u64(0)
        let length = page.valueLength(index)
        let pageSize = meta.pageSize
        let needed = UInt64((NodePage.headerLength - 1 + length) / pageSize + 1)
        guard first >= 2, first <= meta.lastPage, first < filePages else {
            tally.isWhole = false
            return report("\(tree): a value of page \(page.number) is at page \(first), which does not exist")
        }
        let header = try file.read(NodePage.headerLength, at: first &* UInt64(pageSize))
        guard header.count == NodePage.headerLength, header.u64(0) == first, header.u16(10) == Self.overflowFlag else {
            tally.isWhole = false
            return report("\(tree): page \(first) is not the overflow page that page \(page.number) takes it for")
        }
        let pages = UInt64(header.u32(12))
        // A value that has become shorter keeps its pages.
        guard pages >= needed, pages <= min(meta.lastPage + 1, filePages) - first else {
            tally.isWhole = false
            return report("\(tree): page \(first) begins a run of \(pages) pages for \(length) bytes")
        }
        for number in first..<first + pages {
            guard claim(number, tree) else {
                tally.isWhole = false
                return
            }
        }
        tally.overflowPages += pages
        if case .freeList = tree { try checkLargeRecord(at: first, length: length, key: page.key(index)) }
    }

    private mutating func checkLargeRecord(
        at first: UInt64,
        length: Int,
        key: ArraySlice<UInt8>
    ) throws(PageFault) {
        var list = FreeRecord(length: length)
        let start = first &* UInt64(meta.pageSize) &+ UInt64(NodePage.headerLength)
        var done = 0
        while done < length, !list.isDone, !isFull, mayRead() {
            let part = try file.read(min(Self.chunk, length - done), at: start &+ UInt64(done))
            guard !part.isEmpty else { break }
            check(part[...], in: &list)
            done += part.count
        }
        guard readings > 0 else { return }
        finish(list, key: key)
    }
}
