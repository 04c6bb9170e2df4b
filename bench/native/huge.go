package main

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"bunzai/bench"
)

// writeHuge writes the huge input to a file.
func writeHuge(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := bench.Huge(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// huge takes the huge archive to Lumiverse and back, and tells whether every picture is the same; then to a PNG.
func huge(dir, program string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	in, there, back, picture := at("huge.charx"), at("huge-lumiverse.charx"), at("huge-back.charx"), at("huge.png")
	defer func() {
		for _, f := range []string{in, there, back, picture} {
			_ = os.Remove(f)
		}
	}()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if out, err := exec.Command(self, "-huge", in).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	info, err := os.Stat(in)
	if err != nil {
		return err
	}
	fmt.Printf("\n%d pictures in a Risu archive of %.0f MiB, one process a run (the better of 3)\n", bench.HugePictures, float64(info.Size())/(1<<20))
	var sum time.Duration
	for _, leg := range [][3]string{{"lumiverse", in, there}, {"risu", there, back}} {
		best, peak := time.Duration(0), int64(0)
		for range 3 {
			took, kib, said, err := run(program, "convert", leg[1], "--to", leg[0], "--limits", "large", "--force", "-o", leg[2])
			if err != nil {
				return fmt.Errorf("%w: %s", err, said)
			}
			if peak = max(peak, kib); best == 0 || took < best {
				best = took
			}
		}
		sum += best
		fmt.Printf("to %-10s %7.0f ms %7.0f MB/s  peak %.1f MB\n", leg[0], best.Seconds()*1000, float64(info.Size())/1e6/best.Seconds(), float64(peak)/1024)
	}
	before, err := pictures(in)
	if err != nil {
		return err
	}
	after, err := pictures(back)
	if err != nil {
		return err
	}
	same := 0
	for sum, n := range before {
		same += min(n, after[sum])
	}
	fmt.Printf("there and back %.0f ms; %d of %d pictures have the SHA-256 that they had\n", sum.Seconds()*1000, same, bench.HugePictures)
	_, _, said, _ := run(program, "convert", in, "--to", "risu", "--container", "png", "--limits", "large", "-o", picture)
	fmt.Println("to png:", said[strings.LastIndexByte(said, '\n')+1:])
	return nil
}

// pictures counts the files of an archive by their SHA-256, but for the card.
func pictures(path string) (map[[32]byte]int, error) {
	r, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := map[[32]byte]int{}
	for _, f := range r.File {
		if filepath.Ext(f.Name) != ".png" {
			continue
		}
		c, err := f.Open()
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		if _, err := io.Copy(h, c); err != nil {
			return nil, err
		}
		out[[32]byte(h.Sum(nil))]++
		if err := c.Close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
