package canonical

import "bunzai/jsondoc"

// Lorebook is the body of a world book.
type Lorebook struct {
	Name         string   `json:"name"` // "" allowed
	Description  *string  `json:"description"`
	Genre        *string  `json:"genre"`
	Fandom       *string  `json:"fandom"`
	LorebookType *string  `json:"lorebookType"` // world, character, scenario, rules, utility, other
	Tags         []string `json:"tags"`
	Enabled      *bool    `json:"enabled"` // absent = on; off = left out on export

	GlobalCaseSensitive   *bool    `json:"globalCaseSensitive"`
	GlobalMatchWholeWords *bool    `json:"globalMatchWholeWords"`
	GlobalRecursion       *bool    `json:"globalRecursion"`
	GlobalScanDepth       *float64 `json:"globalScanDepth"` // messages
	TokenBudget           *float64 `json:"tokenBudget"`
	EntryBudget           *float64 `json:"entryBudget"`
	BudgetMode            *string  `json:"budgetMode"` // token, entry

	Entries    []*Entry   `json:"entries"`
	Categories []Category `json:"categories"`
	// Extra holds unknown members of a canonical file, by path; see UnmarshalBody.
	Extra *jsondoc.Value `json:"-"`
}

// Category is a flat folder of entries.
type Category struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	SortOrder *float64 `json:"sortOrder"`
	Enabled   *bool    `json:"enabled"`
}

// Entry positions.
const (
	PosWorld            = "world"           // before the character definitions
	PosCharacter        = "character"       // after them
	PosAuthorNoteTop    = "author_note_top" // above the author's note
	PosAuthorNoteBottom = "author_note_bottom"
	PosDepth            = "depth" // Depth messages from the end, as Role
	PosBeforeExample    = "before_example"
	PosAfterExample     = "after_example"
	PosOutlet           = "outlet" // where {{outlet::OutletName}} stands
	PosMarker           = "marker" // at a named marker of a preset
	PosAppend           = "append"
	PosAppendBottom     = "append_bottom"
	PosPrependTop       = "prepend_top"
	PosScene            = "scene"
)

// Selective logic: how secondary triggers combine.
const (
	LogicAndAny = "and_any"
	LogicAndAll = "and_all"
	LogicNotAny = "not_any"
	LogicNotAll = "not_all"
)

// Entry is one lorebook entry. A nil pointer means that the source says nothing.
type Entry struct {
	ID      string  `json:"id"` // stable; the source's own id as text, else its index; unique in the book
	Title   *string `json:"title"`
	Content string  `json:"content"`
	Comment *string `json:"comment"` // private note, where the source has one beside the title
	Enabled *bool   `json:"enabled"`

	Constant          *bool     `json:"constant"`
	TriggerMode       *string   `json:"triggerMode"` // simple, advanced (secondary triggers are used)
	Triggers          []Trigger `json:"triggers"`
	SecondaryTriggers []Trigger `json:"secondaryTriggers"`
	SelectiveLogic    *string   `json:"selectiveLogic"`
	CaseSensitive     *bool     `json:"caseSensitive"`   // nil = inherit
	MatchWholeWords   *bool     `json:"matchWholeWords"` // nil = inherit
	ScanDepth         *float64  `json:"scanDepth"`       // nil = inherit

	Position   *string  `json:"position"`
	Depth      *float64 `json:"depth"`
	Role       *string  `json:"role"` // system, user, assistant
	OutletName *string  `json:"outletName"`
	Marker     *string  `json:"marker"`
	MarkerSide *string  `json:"markerSide"` // before, after
	SortOrder  *float64 `json:"sortOrder"`  // placement axis
	Priority   *float64 `json:"priority"`   // eviction axis, higher survives

	Sticky   *float64 `json:"sticky"`
	Cooldown *float64 `json:"cooldown"`
	Delay    *float64 `json:"delay"`

	GroupName       *string  `json:"groupName"`
	GroupWeight     *float64 `json:"groupWeight"`
	GroupOverride   *bool    `json:"groupOverride"`
	UseGroupScoring *bool    `json:"useGroupScoring"` // nil = inherit
	CategoryID      *string  `json:"categoryId"`

	Probability         *float64 `json:"probability"` // 0..100
	UseProbability      *bool    `json:"useProbability"`
	UseMemo             *bool    `json:"useMemo"`
	ExcludeRecursion    *bool    `json:"excludeRecursion"`
	PreventRecursion    *bool    `json:"preventRecursion"`
	DelayUntilRecursion *float64 `json:"delayUntilRecursion"` // level; wire true is 1, false is 0
	IgnoreBudget        *bool    `json:"ignoreBudget"`

	CharacterFilter *CharacterFilter `json:"characterFilter"`
	GenerationTypes []string         `json:"generationTypes"` // normal, continue, impersonate, swipe, regenerate, quiet; empty = all

	ScanCharacterDescription *bool `json:"scanCharacterDescription"`
	ScanCharacterPersonality *bool `json:"scanCharacterPersonality"`
	ScanUserPersona          *bool `json:"scanUserPersona"`
	ScanScenario             *bool `json:"scanScenario"`
	ScanCharacterDepthPrompt *bool `json:"scanCharacterDepthPrompt"`
	ScanCreatorNotes         *bool `json:"scanCreatorNotes"`

	Vectorized   *bool    `json:"vectorized"`
	AutomationID *string  `json:"automationId"`
	DisplayIndex *float64 `json:"displayIndex"`

	KeyRelative         *bool          `json:"keyRelative"`
	NonStoryActivatable *bool          `json:"nonStoryActivatable"`
	ContextConfig       *ContextConfig `json:"contextConfig"`
	LoreBiasGroups      *jsondoc.Value `json:"loreBiasGroups"`
	SideEffects         *SideEffects   `json:"sideEffects"`
	Metadata            *jsondoc.Value `json:"metadata"`
}

// Trigger is one key. A pattern is kept as written between the slashes, never compiled.
type Trigger struct {
	Keyword     string   `json:"keyword"`
	IsRegex     *bool    `json:"isRegex"`
	Flags       *string  `json:"flags"`
	Frequency   *float64 `json:"frequency"`
	Probability *float64 `json:"probability"`
}

// CharacterFilter limits an entry to characters.
type CharacterFilter struct {
	Names     []string `json:"names"`
	Tags      []string `json:"tags"`
	IsExclude *bool    `json:"isExclude"`
}

// ContextConfig is NovelAI's placement; words are open.
type ContextConfig struct {
	Prefix            *string  `json:"prefix"`
	Suffix            *string  `json:"suffix"`
	TokenBudget       *float64 `json:"tokenBudget"`
	ReservedTokens    *float64 `json:"reservedTokens"`
	TrimDirection     *string  `json:"trimDirection"`
	InsertionType     *string  `json:"insertionType"`
	MaximumTrimType   *string  `json:"maximumTrimType"`
	InsertionPosition *float64 `json:"insertionPosition"`
}

// SideEffects are RoleCall's variable changes; data only.
type SideEffects struct {
	Effects            []Effect `json:"effects"`
	OnlyOnFirstTrigger *bool    `json:"onlyOnFirstTrigger"`
	ClearOnDeactivate  *bool    `json:"clearOnDeactivate"`
}

// Effect is one variable change.
type Effect struct {
	Type     string         `json:"type"`
	Variable string         `json:"variable"`
	Value    *jsondoc.Value `json:"value"`
	Amount   *float64       `json:"amount"`
	Scope    *string        `json:"scope"`
}
