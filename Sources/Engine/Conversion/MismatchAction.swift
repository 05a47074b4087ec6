/// What becomes of an existing database that has another engine than the one that was asked for.
public enum MismatchAction: Sendable {
    /// It is converted, before it is opened: see `Database.convert`.
    case upgrade
    /// It is not opened: `invalidStorageType` (497).
    case fail
}
