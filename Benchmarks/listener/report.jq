# The results of a run, from its lines: figures with their medians. A ratio is the median of those of each round.
def median: sort | if length == 0 then null elif length % 2 == 1 then .[length / 2 | floor]
    else (.[length / 2 - 1] + .[length / 2]) / 2 end;

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

. as $lines
| {
    settings: $settings,
    figures: [figures[] as $figure
        | ([$lines[] | select(.figure == $figure.name and .side == "settee") | .engine] | unique
            | if length == 0 then [null] else . end)[] as $engine
        | [$lines[] | select(.figure == $figure.name and .engine == $engine and .side == "settee")] as $settee
        | [$lines[] | select(.figure == $figure.name and .side == "counterpart"
            and (.engine == $engine or .engine == ""))] as $others
        | [$settee[] as $one | $others[] | select(.round == $one.round) | $one.value / .value] as $ratios
        | $figure + {
            engine: $engine, unit: ($settee[0].unit // $figure.unit),
            value: ([$settee[].value] | median), counterpart: ([$others[].value] | median),
            ratio: ($ratios | median), ratios: $ratios,
            cpuMicroseconds: ([$settee[].cpuMicroseconds | values] | median),
            counterpartCPUMicroseconds: ([$others[].cpuMicroseconds | values] | median),
            grownBytes: ([$settee[].grownBytes | values] | max)
        }],
    lines: $lines
}
