-- Documents for wrk: `wrk ... -s requests.lua URL -- get DOCS` or `-- put DATABASE`. Prints a line of JSON at the end.
-- GET asks for documents in no order; PUT saves a new one each time.
local turn = 0
local mode, argument
local body = '{"name":{"first":"Gudrun","last":"Nakamura"},"gender":"female","birthday":"1966-06-10",'
    .. '"contact":{"address":{"street":"27 Birch St","zip":"51794","city":"Cork","state":"NM"},'
    .. '"email":["gudrun.nakamura@people.example.org"],"region":"632","phone":["456-0170395"]},'
    .. '"likes":["chess"],"memberSince":"2011-05-22","score":123456,"balance":103.45}'

function init(arguments)
    mode, argument = arguments[1], arguments[2]
    math.randomseed(42)
    wrk.headers["Content-Type"] = "application/json"
end

function request()
    turn = turn + 1
    if mode == "put" then
        return wrk.format("PUT", string.format("/%s/%d", argument, turn), nil, body)
    end
    return wrk.format("GET", string.format("/people/%07d", math.random(1, argument)))
end

function done(summary, latency, requests)
    local errors = summary.errors
    local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
    io.write(string.format(
        '{"requests":%d,"refused":%d,"seconds":%.6f,"requestsPerSecond":%.2f,"medianMicroseconds":%d,"p99Microseconds":%d}\n',
        summary.requests, failed, summary.duration / 1e6, summary.requests / summary.duration * 1e6,
        latency:percentile(50), latency:percentile(99)))
    if failed > 0 then os.exit(1) end
end
