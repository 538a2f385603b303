-- For wrk: writes that each change something (WRITE=group: the tags of a resource group) or the same bytes of a file over and
-- over (WRITE=bytes, so many as BYTES says). Headers come from wrk's command line.
local count = 0

function init()
    -- Threads count from different numbers: no two write the same.
    count = math.floor(os.clock() * 1e9) % 1000000 * 1000
end

function request()
    count = count + 1
    local body
    if os.getenv("WRITE") == "group" then
        body = string.format('{"location": "eastus", "tags": {"count": "%d"}}', count)
    else
        body = string.rep("x", tonumber(os.getenv("BYTES")))
    end
    return wrk.format("PUT", nil, nil, body)
end
