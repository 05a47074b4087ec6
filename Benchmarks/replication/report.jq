# The replicator's figures, and what was asked of them.
include "medians";

def direction($name; $text): [
    {name: $name, text: $text, against: "`forceInsert` in batches", atLeast: 0.25},
    {name: "\($name)-requests", text: "requests for 500 documents", atMost: 4, unit: "requests"},
    {name: "\($name)-memory", text: "memory of the process", atMost: 104857600, unit: "bytes"},
    {name: "\($name)-nothing", text: "\($text) with nothing to do", atMost: 100, unit: "ms"},
    {name: "\($name)-nothing-requests", text: "requests of that", atMost: 4, unit: "requests"},
    {name: "\($name)-known", text: "\($text), checkpoints lost", against: "the transfer", atLeast: 4}
];

def figures: direction("pull"; "pull") + direction("push"; "push") + [
    {name: "local", text: "local to local", against: "`forceInsert` in batches", atLeast: 0.5},
    {name: "attachment", text: "pull of an attachment", against: "curl into a file", atLeast: 0.35},
    {name: "attachment-memory", text: "memory of that", atMost: 104857600, unit: "bytes"},
    {name: "many-pulled", text: "memory for a pull of many attachments", atMost: 104857600, unit: "bytes"},
    {name: "many-pushed", text: "memory for a push of many attachments", atMost: 104857600, unit: "bytes"}
];

report(figures; $settings; $settings
    | "\(.processor), \(.cores) cores; \(.documents) documents, attachment of \(.contentMegabytes) MiB,"
        + " \(.contents) attachments of 10 MiB; medians of \(.rounds) rounds, \(.date).")
