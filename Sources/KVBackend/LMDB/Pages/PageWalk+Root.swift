extension PageWalk {
    /// Checks only the root page of a tree.
    mutating func checkRoot(_ record: TreeRecord, _ tree: Tree) throws(PageFault) {
        if let problem = record.problem(lastPage: meta.lastPage, pageSize: meta.pageSize) {
            return report("\(tree) \(problem)")
        }
        guard !record.isEmpty else { return }
        guard claim(record.root, tree) else { return }
        do throws(PageFault) {
            let page = try NodePage(file, record.root, pageSize: meta.pageSize)
            guard page.isLeaf == (record.depth == 1), page.isLeaf || page.count >= tree.fewestChildren else {
                return report("\(tree): its root, page \(record.root), is not of the kind that its depth asks for")
            }
        } catch {
            guard case .damage(let what) = error else { throw error }
            report("\(tree): \(what)")
        }
    }
}

extension MetaPage {
    /// Returns the last transaction of which this snapshot's free list has a record. Nil if its pages cannot be read:
    /// they may have been reused.
    func lastFreed(_ file: PageFile) throws(PageFault) -> UInt64? {
        guard problem == nil, !freeList.isEmpty else { return nil }
        var number = freeList.root
        for level in 1...freeList.depth {
            do throws(PageFault) {
                let page = try NodePage(file, number, pageSize: pageSize)
                guard page.isLeaf == (level == freeList.depth) else { return nil }
                let last = page.count - 1
                guard !page.isLeaf else {
                    let key = Array(page.key(last))
                    return key.count == 8 ? key.u64(0) : nil
                }
                number = page.child(last)
            } catch {
                guard case .damage = error else { throw error }
                return nil
            }
        }
        return nil
    }
}
