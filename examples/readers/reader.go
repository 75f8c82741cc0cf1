// go run reader.go corpus.ndjson    (create the corpus first: brokerfuzz export corpus.ndjson --base64)
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	file, _ := os.Open(os.Args[1])
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8<<20) // with --large, lines are longer than 64 KiB
	for lines.Scan() {
		var one struct {
			Verdict, Id string
			Raw         []byte // give these bytes to your system
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		fmt.Printf("%s %s %x\n", one.Verdict, one.Id, one.Raw)
	}
}
