# The results of a run as a table for people.
def rounded: if . == null then "" elif . >= 1000 then round elif . >= 10 then . * 10 | round / 10
    else . * 1000 | round / 1000 end | tostring;
def amount($unit): if . == null then "" elif $unit == "bytes" then "\(. / 1048576 | rounded) MiB"
    else "\(rounded) \($unit)" end;
def asked: if .atLeast then "≥ \(.atLeast)" elif .ratioAtMost then "≤ \(.ratioAtMost)"
    elif .atMost then "≤ \(.unit as $unit | .atMost | amount($unit // ""))" else "" end;

.heading,
"",
"| figure | engine | measured | compared with | that | ratio | asked | processor, µs each | of that | memory grown |",
"|---|---|---|---|---|---|---|---|---|---|",
(.figures[] | .unit as $unit
    | "| \(.text) | \(.engine // "") | \(if .engine == null then "not measured" else .value | amount($unit) end)"
    + " | \(.against // "") | \(.counterpart | amount($unit)) | \(.ratio | rounded) | \(asked)"
    + " | \(.cpuMicroseconds | rounded) | \(.counterpartCPUMicroseconds | rounded) | \(.grownBytes | amount("bytes")) |")
