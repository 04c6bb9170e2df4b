// Command gen writes FORMAT-SUPPORT.md. Run it with go generate ./formats/all.
package main

import (
	"log"
	"os"

	"bunzai/formats/all"
	"bunzai/formats/all/support"
)

func main() {
	if err := os.WriteFile(os.Args[1], []byte(support.Markdown(all.Registry())), 0o644); err != nil {
		log.Fatal(err)
	}
}
