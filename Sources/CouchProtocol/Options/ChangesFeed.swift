/// How a feed of changes is answered.
public enum ChangesFeed: String, Sendable, CaseIterable {
    /// One answer with all changes so far.
    case normal
    /// As normal, but it waits for the first change.
    case longpoll
    /// A line for each change, until the client goes.
    case continuous
    /// As continuous, in the form that browsers' `EventSource` reads.
    case eventsource
}
