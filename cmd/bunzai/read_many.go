package main

import (
	"cmp"
	"os"
	"slices"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/limits"
)

// read is one file of several as programs read it: a line of JSON Lines. One of Result and Error is null.
type read struct {
	Source string   `json:"source"`
	Result any      `json:"result"`
	Error  *failure `json:"error"`
}

// many reports arguments that name several files.
func (r *reading) many() bool {
	if len(r.Files) > 1 {
		return true
	}
	info, err := os.Stat(r.Files[0])
	return (err == nil && info.IsDir()) || (os.IsNotExist(err) && isPattern(r.Files[0]))
}

// each reads every file that the arguments name, one after another, and prints a row or a line for each; what cannot be
// read is a row too. It fails with fault.Damaged when some could not be read, and with NoCard when none is anything
// that bunzai knows.
func (r *reading) each(s *streams, asJSON bool, read1 func(*convert.Engine, *file, convert.Options) (result any, cells []string, err error)) error {
	lim, _ := limits.Named(r.Limits)
	engine := convert.New()
	p := newPlan(s, engine, lim)
	for _, arg := range r.Files {
		if err := p.take(arg, len(r.Files) == 1); err != nil {
			return err
		}
	}
	if err := p.hopeless(); err != nil {
		return err
	}
	if r.last != nil {
		late := map[string]bool{}
		for i := range p.items {
			late[p.items[i].label] = r.last(p, &p.items[i])
		}
		slices.SortStableFunc(p.items, func(a, b item) int { return cmp.Compare(rank(late[a.label]), rank(late[b.label])) })
	}
	good, bad := 0, 0
	t := &table{}
	for i := range p.items {
		it := &p.items[i]
		result, cells, err := func() (any, []string, error) {
			f, _, err := p.open(it)
			if err != nil {
				return nil, nil, err
			}
			defer f.close()
			return read1(engine, f, convert.Options{Name: f.name, Limits: lim, Password: r.Password})
		}()
		l := read{Source: it.label, Result: result}
		if err == nil {
			good++
		} else {
			f := fault.As(err)
			x := failureOf(f)
			l.Error = &x
			cells = []string{"- " + f.Error()}
			if !it.skip && f.Code != fault.NotRecognized && f.Code != fault.NoCard && f.Code != fault.Unsupported {
				bad++
			}
		}
		if asJSON {
			if err := s.writeJSON(l); err != nil {
				return err
			}
			continue
		}
		t.row(append([]string{beginning(it.label, 100)}, cells...)...)
	}
	t.write(s.out, "")
	n := counted(len(p.items), "file", "files")
	switch {
	case bad > 0:
		return fault.New(fault.Damaged, "", "%d of %s could not be %s", bad, n, cmp.Or(r.did, "read"))
	case good == 0:
		return fault.New(fault.NoCard, "", "there is nothing that bunzai knows among %s", n)
	}
	return nil
}

func rank(late bool) int {
	if late {
		return 1
	}
	return 0
}
