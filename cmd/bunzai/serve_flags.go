package main

type serveCmd struct {
	Port   int      `default:"8321" help:"Port on 127.0.0.1; 0 takes a free one."`
	Dir    string   `help:"Folder of the built page; by default web/dist here or beside the program."`
	Limits string   `enum:"card,large,edge" default:"card" help:"Bounds on what a file may cost, for the endpoint under /v1: card, large or edge."`
	Origin []string `placeholder:"ORIGIN" help:"Web origin whose pages may call the endpoint (https://example.org); may be given several times."`
	Token  string   `env:"BUNZAI_TOKEN" placeholder:"TOKEN" help:"Bearer token that the endpoint wants. Better given as BUNZAI_TOKEN in the environment."`
	Log    bool     `help:"Print one line of JSON for each request to the endpoint, without anything of the cards."`
}
