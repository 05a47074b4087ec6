# The results of a run, from its lines: figures with their medians. A ratio is the median of those of each round.
def median: sort | if length == 0 then null elif length % 2 == 1 then .[length / 2 | floor]
    else (.[length / 2 - 1] + .[length / 2]) / 2 end;

def report($figures; $settings; $heading):
    . as $lines
    | {
        settings: $settings,
        heading: $heading,
        figures: [$figures[] as $figure
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
    };
