// Command bunzai converts AI role-play character cards and lorebooks between apps, says what a file is, and serves
// the page on this machine. It is a door: flags, files and words live here, what a card is lives in convert and below.
//
// Data goes to standard output, messages go to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not
// recognised or no card inside, 4 refused by a limit, 5 refused because content would be lost, 6 a piece that the
// library does not have, 130 stopped by Ctrl-C. Of many files: 0 all converted (what is no card does not count), 1 some failed, 3 no card among them.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/wasm/plain"
)

// version is set by the build (-X main.version).
var version = "dev"

// Exit codes.
const (
	exitDone = iota
	exitFailed
	exitUsage
	exitNotRecognized
	exitLimit
	exitLoss
	exitNoPiece
	exitStopped = 130 // as a shell says of a program that Ctrl-C ended
)

type commandLine struct {
	Detect  detectCmd  `cmd:"" help:"Say what a file is, and every format's bid on it."`
	Inspect inspectCmd `cmd:"" help:"Show what a file holds: texts, greetings, lorebook, pictures, and the apps it can go to."`
	Convert convertCmd `cmd:"" help:"Turn a file into another app's file, with a report of what became of every part."`
	Import  importCmd  `cmd:"" help:"Take an account backup (.lvbak) apart: every character, lorebook, persona, preset and regex set as a file."`
	Library libraryCmd `cmd:"" help:"Keep pieces in a folder: import files, list and show them, link lorebooks to characters, export."`
	Formats formatsCmd `cmd:"" help:"List the formats and what each can write."`
	Serve   serveCmd   `cmd:"" help:"Serve the built page on this machine."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// streams are the three standard streams; tests pass their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// exitNow leaves kong's parser, which ends the process by itself after printing help.
type exitNow int

// run is the whole program, without the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			n, ok := r.(exitNow)
			if !ok {
				panic(r)
			}
			code = int(n)
		}
	}()
	s := &streams{stdin, stdout, stderr}
	var cl commandLine
	parser, err := kong.New(&cl,
		kong.Name("bunzai"),
		kong.Vars{"containers": strings.Join(formats.Containers(), ",")},
		kong.Description("Lossless converter of character cards and lorebooks.\n\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 not recognised or no card inside, 4 refused by a limit, 5 refused because content would be lost, 6 a piece that the library does not have, 130 stopped by Ctrl-C. Of many files: 0 all were converted (files that are no card do not count), 1 some failed, 3 there was no card."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(n int) { panic(exitNow(n)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "bunzai:", err)
		return exitFailed
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return s.fail(fault.New(fault.BadArgument, "", "%s; see bunzai --help", err), asksJSON(args))
	}
	if err := ctx.Run(s); err != nil {
		return s.fail(err, asksJSON(args))
	}
	return exitDone
}

// asksJSON looks for --json itself, since the parser has nothing to tell after a mistake.
func asksJSON(args []string) bool {
	for i, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--report=json":
			return true
		case "json":
			if i > 0 && args[i-1] == "--report" {
				return true
			}
		}
	}
	return false
}

// fail prints an error and says with which code the program ends.
func (s *streams) fail(err error, asJSON bool) int {
	f := fault.As(err)
	var lost *lossError
	isLoss := errors.As(err, &lost)
	if asJSON {
		fmt.Fprintf(s.err, "{\"error\":%s}\n", plain.Marshal(failureOf(f)))
	} else {
		fmt.Fprintln(s.err, "bunzai:", clean(f.Error()))
		if f.Code == fault.OverLimit && f.Limit != nil && f.Limit.Raise == limits.Card().Raise {
			fmt.Fprintln(s.err, "        on the command line that is --limits large")
		}
		if f.Code == fault.Password {
			fmt.Fprintln(s.err, "        on the command line that is --password TEXT or, safer, the variable BUNZAI_PASSWORD")
		}
		if f.Code == fault.WouldLose && !isLoss {
			fmt.Fprintln(s.err, "        to write it all the same, add --allow-loss")
		}
	}
	switch f.Code {
	case fault.BadArgument, fault.UnknownTarget:
		return exitUsage
	case fault.NotRecognized, fault.NoCard:
		return exitNotRecognized
	case fault.OverLimit:
		return exitLimit
	case fault.WouldLose:
		return exitLoss
	case fault.NoPiece:
		return exitNoPiece
	case fault.Cancelled:
		return exitStopped
	}
	return exitFailed
}

// failure is an error as programs read it; the same shape as Failure of js/src/types.ts.
type failure struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Where   string    `json:"where"`
	Limit   *limitHit `json:"limit"`
}

type limitHit struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Found int64  `json:"found"`
	Unit  string `json:"unit"`
	Raise string `json:"raise"`
}

func failureOf(f *fault.Error) failure {
	out := failure{Code: string(f.Code), Message: f.Message, Where: f.Where}
	if l := f.Limit; l != nil {
		out.Limit = &limitHit{l.Name, l.Value, l.Found, l.Unit, l.Raise}
	}
	return out
}

// writeJSON prints one value as a line of JSON.
func (s *streams) writeJSON(v any) error {
	_, err := s.out.Write(append(plain.Marshal(v), '\n'))
	return err
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *versionCmd) Run(s *streams) error {
	if c.JSON {
		return s.writeJSON(map[string]string{"version": version})
	}
	_, err := fmt.Fprintln(s.out, "bunzai", version)
	return err
}
