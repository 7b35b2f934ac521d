-- Generates the requests of every case. The same script drives nginx, with the path of its file, so that the cost of
-- generating a request is the same. Requests are built by hand: `wrk.format` costs more than nginx's response.

local conf, make
local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("number", threads)
end

-- The same as `email` in lib/people.py.
local function email(n)
   local first = conf.first_names[n % #conf.first_names + 1]
   local last = conf.last_names[math.floor(n / #conf.first_names) % #conf.last_names + 1]
   return first .. "." .. last .. "." .. n .. "@example.edu"
end

local function anybody()
   return email(math.random(0, conf.people - 1))
end

-- The same as `access_code` there.
local function access_code(page)
   return string.format("ACCESS%08d", page)
end

local function any_page()
   return string.format("class-%05d", math.random(0, conf.pages - 1))
end

local function head(token)
   return " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: " .. (token or conf.token) .. "\r\n"
end

local function post(body, token)
   return "POST " .. conf.path .. head(token)
      .. "Content-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

local makers = {}

-- GET with something random between `path` and `rest`.
local function get(random)
   local before, behind = "GET " .. conf.path, conf.rest .. head() .. "\r\n"
   return function() return before .. random() .. behind end
end

function makers.email() return get(anybody) end

-- Few people are looked up often, and most of them rarely: the person of rank k with a probability of about 1/k (Zipf's law). The
-- factor, a prime, scatters them over the tables.
local function somebody_popular()
   local rank = math.floor((conf.people + 1) ^ math.random())
   return email(rank * 7919 % conf.people)
end

function makers.popular() return get(somebody_popular) end

function makers.page() return get(any_page) end

function makers.code()
   return get(function() return access_code(math.random(0, conf.pages - 1)) end)
end

-- Somebody by the code of their page and their email.
function makers.person()
   return get(function()
      local n = math.random(0, conf.people - 1)
      return access_code(math.floor(n / conf.on_a_page)) .. "&email=" .. email(n)
   end)
end

function makers.fixed() return get(function() return "" end) end

-- A search of many random emails. Made before the clock runs: writing thousands of emails is not what is measured.
function makers.search()
   local pool = {}
   for i = 1, math.ceil(200000 / conf.count) do
      local list = {}
      for j = 1, conf.count do list[j] = anybody() end
      pool[i] = post('{"email_list":"' .. table.concat(list, ",") .. '","per_page":' .. conf.count .. "}")
   end
   return function() return pool[math.random(#pool)] end
end

-- Somebody new on a page. Seeds differ between runs and numbers between threads, so no email comes twice.
local made = 0
local function create(page, token)
   made = made + 1
   local tag = conf.seed .. "." .. number .. "." .. made
   return post('{"name_page_id":"' .. page
      .. '","participant":{"first_name":"Siobhán","last_name":"O’Brien","email":"new.' .. tag
      .. '@example.edu","institution_id":"N' .. tag .. '","phonetic":"shi-VAWN oh-BRY-en"}}', token)
end

function makers.create()
   return function() return create(any_page()) end
end

-- The same in a random institution.
function makers.create_everywhere()
   return function()
      local neighbor = conf.neighbors[math.random(#conf.neighbors)]
      return create(neighbor.page, neighbor.token)
   end
end

-- Milliseconds until a connection sends its next request: like a person who thinks for `pause` on average, and not all at once.
local function think()
   return math.floor(0.5 - conf.pause * math.log(1 - math.random()))
end

function init(args)
   conf = dofile(args[1])
   math.randomseed(conf.seed * 100 + number)
   make = makers[conf.kind]()
   -- wrk looks for it after this function. Without it, the next request follows at once.
   if conf.pause then delay = think end
end

function request()
   return make()
end
