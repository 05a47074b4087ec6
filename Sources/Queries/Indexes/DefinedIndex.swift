package import SetteeEngine
package import StorageProtocol

/// A value index as it is defined, built or not.
package struct DefinedIndex: Sendable {
    package let name: String
    /// The ID of the design document that defines it; nil: it was made in Swift or the shell.
    package let design: String?
    /// The name of the view in the design document, or of the index.
    package let view: String
    package let definition: ValueIndexDefinition

    init(_ index: ValueIndex) {
        name = index.name
        design = index.view?.design
        view = index.view?.name ?? index.name
        definition = index.definition
    }
}

extension Database {
    /// The value indexes that are defined, in the order of the bytes of their names.
    package func definedIndexes() throws(StorageError) -> [DefinedIndex] {
        try withReadTransaction { (transaction) throws(StorageError) in
            try valueIndexes.indexes(in: transaction).map { DefinedIndex($0) }
        }
    }
}

extension ValueIndexDefinition {
    /// - Throws: `badParameter` (495), `badRequest` (400) for fields or a condition that no index can have.
    package func check() throws(StorageError) { _ = try ValueIndex("any", self) }
}
