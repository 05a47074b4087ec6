# The listener's figures, and what was asked of them.
include "medians";

def figures: [
    {name: "get", text: "GET of a document", against: "bare HummingbirdCore", atLeast: 0.4},
    {name: "bulk", text: "`_bulk_docs` of 1,000", against: "inserts in batches", atLeast: 0.5},
    {name: "bulk-foreign", text: "the same with `new_edits=false`", against: "`forceInsert` in batches", atLeast: 0.5},
    {name: "puts", text: "PUT of a document, durability full", against: "one connection", atLeast: 8},
    {name: "all-docs", text: "`_all_docs?include_docs=true`", against: "a scan that makes JSON", atLeast: 0.35},
    {name: "changes", text: "`_changes?style=all_docs`", against: "the listing with leaves", atLeast: 0.25},
    {name: "attachment-get", text: "GET of an attachment", against: "nginx, sendfile off", atLeast: 0.5},
    {name: "attachment-put", text: "PUT of an attachment", against: "`settee attach`", atLeast: 0.6},
    {name: "slow-listing", text: "memory for slow readers of a listing", atMost: 67108864, unit: "bytes"},
    {name: "slow-attachment", text: "memory for slow readers of an attachment", atMost: 67108864, unit: "bytes"},
    {name: "feeds-memory", text: "memory with idle longpolls", against: "bare, as many connections", ratioAtMost: 2},
    {name: "feeds-resident", text: "the same, with pages of files", against: "bare, as many connections"},
    {name: "feeds-woken", text: "all answered after a write", atMost: 1000, unit: "ms"},
    {name: "feed-woken", text: "a single one answered", atMost: 3, unit: "ms"},
    {name: "view", text: "a view in JavaScript", against: "the same map in Swift", atLeast: 0.25}
];

report(figures; $settings; $settings
    | "\(.processor), \(.cores) cores; \(.documents) documents, \(.connections) connections, \(.feeds) feeds,"
        + " \(.readers) slow readers, attachment of \(.contentMegabytes) MiB; medians of \(.rounds) rounds, \(.date).")
