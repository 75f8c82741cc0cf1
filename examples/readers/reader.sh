# sh reader.sh corpus.ndjson    (create the corpus first: brokerfuzz export corpus.ndjson --base64)
jq -r '[.verdict, .id, .raw] | join(" ")' "$1" | while read -r verdict id raw; do
  body=$(printf %s "$raw" | base64 -d | od -An -v -tx1 | tr -d ' \n') # give these bytes to your system
  echo "$verdict $id $body"
done
