package main

import (
	"fmt"
	"strings"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/limits"
)

// unlocking is what every command takes that opens cards. What is given is printed nowhere.
type unlocking struct {
	Password string `env:"BUNZAI_PASSWORD" placeholder:"TEXT" help:"Opens cards that Risu encrypted with a password. The variable is safer: other programs can see a command line."`
}

// reading is what every command takes that only reads.
type reading struct {
	unlocking
	Files  []string `arg:"" name:"file" help:"A file, or - for standard input. Several files, a folder or a quoted pattern give a table."`
	Limits string   `enum:"card,large" default:"card" help:"Bounds on what a file may cost: card (any usual card) or large (archives with thousands of pictures)."`
	did    string   // what is done with each file, in the summary; "" is read
	// last tells files that are read after all others; nil is none.
	last func(*plan, *item) bool
}

func (r *reading) open(s *streams) (*file, convert.Options, error) {
	lim, ok := limits.Named(r.Limits)
	if !ok {
		return nil, convert.Options{}, fault.New(fault.BadArgument, "", "there are no limits named %q", r.Limits)
	}
	f, err := s.open(r.Files[0], lim)
	if err != nil {
		return nil, convert.Options{}, err
	}
	return f, convert.Options{Name: f.name, Limits: lim, Password: r.Password}, nil
}

type detectCmd struct {
	reading
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints what the file is. A file that nobody claims is printed too, and ends with code 3.
func (c *detectCmd) Run(s *streams) error {
	if c.many() {
		return c.each(s, c.JSON, func(e *convert.Engine, f *file, o convert.Options) (any, []string, error) {
			d, err := e.Detect(f.src, o)
			if err != nil {
				return nil, nil, err
			}
			v := d.View()
			if v.Format == nil {
				_, err := e.Read(f.src, o) // says what it is instead
				return nil, nil, err
			}
			return v, []string{v.Format.Label, v.File.Label}, nil
		})
	}
	f, o, err := c.open(s)
	if err != nil {
		return err
	}
	defer f.close()
	d, err := convert.New().Detect(f.src, o)
	if err != nil {
		return err
	}
	v := d.View()
	if c.JSON {
		if err := s.writeJSON(v); err != nil {
			return err
		}
	} else {
		t := &table{}
		for _, b := range v.Bids {
			if b.Score > 0 {
				t.row(fmt.Sprintf("%.2f", b.Score), b.ID, b.Reason)
			}
		}
		what := "not recognised"
		if v.Format != nil {
			what = v.Format.Label
		}
		fmt.Fprintf(s.out, "%s: %s, %s\n", clean(what), clean(v.File.Label), fault.Amount(v.File.Size, "bytes"))
		t.write(s.out, "  ")
	}
	if v.Format == nil {
		// What it is instead, where that is known.
		if _, err := convert.New().Read(f.src, o); fault.Is(err, fault.NotRecognized) {
			return err
		}
		return fault.New(fault.NotRecognized, "", "no format claims this file (%s)", v.File.Label)
	}
	return nil
}

type inspectCmd struct {
	reading
	JSON bool `name:"json" help:"Print JSON."`
	Full bool `help:"Print texts whole instead of their beginnings."`
}

// Run prints what the file holds.
func (c *inspectCmd) Run(s *streams) error {
	if c.many() {
		return c.each(s, c.JSON, func(e *convert.Engine, f *file, o convert.Options) (any, []string, error) {
			v, err := e.Inspect(f.src, o)
			if err != nil {
				return nil, nil, err
			}
			entries := 0
			for _, p := range v.Pieces {
				entries += len(p.Entries)
			}
			holds := counted(len(v.Pieces[0].Greetings), "greeting", "greetings") + ", " + counted(entries, "entry", "entries") + ", " + counted(len(v.Pieces[0].Assets), "asset", "assets")
			return v, []string{beginning(name(v.Pieces[0].Name), 40), v.Format.Label, holds}, nil
		})
	}
	f, o, err := c.open(s)
	if err != nil {
		return err
	}
	defer f.close()
	v, err := convert.New().Inspect(f.src, o)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.writeJSON(v)
	}
	s.printInspection(v, c.Full)
	return nil
}

// printInspection lays out what a file holds.
func (s *streams) printInspection(v *convert.Inspection, full bool) {
	show := func(text string) string {
		if full {
			return text
		}
		return beginning(text, 90)
	}
	for i, p := range v.Pieces {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		line := string(p.Kind)
		if i == 0 && v.Format != nil {
			line = v.Format.Label
		}
		if p.Variant != "" {
			line += " " + p.Variant
		}
		if i == 0 {
			line += ", " + v.File.Label + " of " + fault.Amount(v.File.Size, "bytes")
		}
		fmt.Fprintf(s.out, "%s\n  %s\n", clean(name(p.Name)), clean(line))
		t := &table{}
		if p.Creator != "" {
			t.row("creator", beginning(p.Creator, 90))
		}
		if len(p.Tags) > 0 {
			t.row("tags", beginning(strings.Join(p.Tags, ", "), 90))
		}
		for _, x := range p.Texts {
			t.row(x.Label, show(x.Text))
		}
		for _, g := range p.Greetings {
			t.row(g.Title, show(g.Text))
		}
		for n, e := range p.Entries {
			state := ""
			if !e.Enabled {
				state = " (off)"
			}
			t.row(fmt.Sprintf("entry %d%s", n+1, state), beginning(name(e.Title), 30)+" ["+beginning(strings.Join(e.Keys, ", "), 40)+"] "+show(e.Content))
		}
		for _, a := range p.Assets {
			size := "outside"
			if a.Size >= 0 {
				size = fault.Amount(a.Size, "bytes")
			}
			t.row(a.Role, name(a.Name)+", "+a.Mime+", "+size)
		}
		for _, x := range p.Scripts {
			t.row("script", x+" (kept as text, never run)")
		}
		t.write(s.out, "  ")
	}
	for _, w := range v.Warnings {
		fmt.Fprintln(s.err, "note:", clean(w))
	}
	if len(v.Targets) > 0 {
		apps := make([]string, len(v.Targets))
		for i, t := range v.Targets {
			apps[i] = t.App
		}
		fmt.Fprintln(s.out, "\ngoes to:", strings.Join(apps, ", "))
	}
}

type formatsCmd struct {
	JSON bool `name:"json" help:"Print JSON, with the field maps."`
}

// Run lists the formats.
func (c *formatsCmd) Run(s *streams) error {
	list := convert.New().Formats()
	if c.JSON {
		return s.writeJSON(list)
	}
	t := &table{}
	t.row("APP", "KIND", "WRITES", "VERSIONS", "WHAT")
	for _, f := range list {
		t.row(f.App, string(f.Kind), join(f.Containers), strings.Join(f.Specs, ", "), f.Label)
	}
	t.write(s.out, "")
	return nil
}

func join[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return strings.Join(out, ", ")
}

func name(s string) string {
	if strings.TrimSpace(s) == "" {
		return "(no name)"
	}
	return s
}
