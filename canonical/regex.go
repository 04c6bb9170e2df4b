package canonical

import (
	"strings"

	"bunzai/jsondoc"
)

// RegexSet is the body of a set of find-and-replace rules. Patterns are JavaScript patterns and data: they are
// never compiled or run here.
type RegexSet struct {
	Name        string      `json:"name"`
	Description *string     `json:"description"`
	Enabled     *bool       `json:"enabled"` // absent = on; off = left out on export
	Rules       []RegexRule `json:"rules"`   // applied in sortOrder
	// Extra holds unknown members of a canonical file, by path; see UnmarshalBody.
	Extra *jsondoc.Value `json:"-"`
}

// Regex phases; the set is open.
const (
	PhaseInput     = "input"
	PhaseOutput    = "output"
	PhaseRequest   = "request"
	PhaseDisplay   = "display"
	PhasePrompt    = "prompt"
	PhaseLorebook  = "lorebook"
	PhaseReasoning = "reasoning"
	PhaseSlash     = "slash"
	PhaseMemory    = "memory"
)

// What a substituted macro in a find pattern becomes.
const (
	SubstituteNone    = "none"
	SubstituteRaw     = "raw"
	SubstituteEscaped = "escaped"
	SubstituteAfter   = "after"
)

// RegexRule is one find-and-replace rule.
type RegexRule struct {
	ID      string  `json:"id"` // the source's own id, else the row index as text; provenance
	Label   string  `json:"label"`
	Note    *string `json:"note"`
	Find    string  `json:"find"`  // bare pattern, without delimiters
	Flags   *string `json:"flags"` // as written; absent = g; may hold tokens that JavaScript does not know ("<cbs>")
	Replace string  `json:"replace"`

	UseFlags       *bool    `json:"useFlags"` // Risu: flags count only when on
	TrimStrings    []string `json:"trimStrings"`
	Phases         []string `json:"phases"`
	Targets        []string `json:"targets"`        // prompt, response, display; absent = the app's default
	SubstituteFind *string  `json:"substituteFind"` // absent = none
	MinDepth       *float64 `json:"minDepth"`       // messages from the end, 0 = newest
	MaxDepth       *float64 `json:"maxDepth"`       // messages from the end, 0 = newest
	RunOnEdit      *bool    `json:"runOnEdit"`
	CharacterIDs   []string `json:"characterIds"` // limits the rule to characters
	FirstMatchOnly *bool    `json:"firstMatchOnly"`

	Overlay   *jsondoc.Value  `json:"overlay"`
	Condition *RegexCondition `json:"condition"`
	Enabled   *bool           `json:"enabled"`
	SortOrder *float64        `json:"sortOrder"`
	Extras    *jsondoc.Value  `json:"extras"` // leftovers of the rule, written back as they are
}

// RegexCondition makes a rule depend on another one.
type RegexCondition struct {
	RuleID  string `json:"ruleId"`
	Matched *bool  `json:"matched"`
}

// RegexSetName is the name of the one set inside a piece of that name: formats that hold scripts without a name of
// their own give it on reading and leave it out on writing.
func RegexSetName(host string) string { return strings.TrimSpace(host + " regex") }
