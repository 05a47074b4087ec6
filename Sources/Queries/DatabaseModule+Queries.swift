public import SetteeEngine
internal import SetteeIndexes

extension DatabaseModule {
    /// Makes value indexes known to a database: `check` then covers them, and conversions keep them. Otherwise a
    /// conversion leaves their content out, which is then built again. The umbrella module passes it.
    public static var queries: DatabaseModule { DatabaseModule(indexes: ValueIndexKind()) }
}
