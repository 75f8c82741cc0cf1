# ruby reader.rb corpus.ndjson    (create the corpus first: brokerfuzz export corpus.ndjson --base64)
require "json"

File.foreach(ARGV[0]) do |line|
  record = JSON.parse(line)
  body = record["raw"].unpack1("m0") # give these bytes to your system
  puts "#{record["verdict"]} #{record["id"]} #{body.unpack1("H*")}"
end
