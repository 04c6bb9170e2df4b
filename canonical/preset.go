package canonical

import "bunzai/jsondoc"

// Preset is the body of a prompt preset. All settings groups are optional: what is absent stays absent on write, and
// defaults are never invented.
type Preset struct {
	Name        string        `json:"name"` // the file name where files have none
	Description *string       `json:"description"`
	Enabled     *bool         `json:"enabled"` // absent = on; off = left out on export
	Prompts     []Prompt      `json:"prompts"` // in working order; divider rows are groups, never prompts
	Groups      []PromptGroup `json:"groups"`

	Samplers      *Samplers       `json:"samplers"`
	SystemPrompts *SystemPrompts  `json:"systemPrompts"`
	Templates     *Templates      `json:"templates"`
	Behavior      *PresetBehavior `json:"behavior"`
	APIOptions    *APIOptions     `json:"apiOptions"`
	Media         *PresetMedia    `json:"media"`
	Generation    *Generation     `json:"generation"`

	Choices []Choice `json:"choices"`
	// BehaviorRefs and QuickReplyRefs are ids of linked regex sets and quick reply sets, in order; links, never copies.
	BehaviorRefs   []string `json:"behaviorRefs"`
	QuickReplyRefs []string `json:"quickReplyRefs"`
	// Extra holds unknown members of a canonical file, by path; see UnmarshalBody.
	Extra *jsondoc.Value `json:"-"`
}

// Prompt placements; the set is open.
const (
	PlaceRelative      = "relative" // where it stands in the list
	PlaceInChat        = "in_chat"  // InjectionDepth messages from the end
	PlaceAppend        = "append"
	PlaceAppendPreset  = "append_preset"
	PlacePrependPreset = "prepend_preset"
)

// Prompt is one block of a preset.
type Prompt struct {
	ID               string         `json:"id"` // the source's identifier, verbatim
	Name             string         `json:"name"`
	Content          string         `json:"content"`
	Role             *string        `json:"role"` // system, user, assistant, tool
	Enabled          *bool          `json:"enabled"`
	SystemPrompt     *bool          `json:"systemPrompt"`
	Marker           *bool          `json:"marker"`     // stands for something that the app puts in
	MarkerSlot       *string        `json:"markerSlot"` // what the app puts in
	Placement        *string        `json:"placement"`
	InjectionDepth   *float64       `json:"injectionDepth"` // messages from the end
	InjectionOrder   *float64       `json:"injectionOrder"`
	ForbidOverrides  *bool          `json:"forbidOverrides"`
	InjectionTrigger []string       `json:"injectionTrigger"` // generation types
	IsDefault        *bool          `json:"isDefault"`
	GroupID          *string        `json:"groupId"`
	WrapInXML        *bool          `json:"wrapInXml"`
	XMLTagName       *string        `json:"xmlTagName"`
	Extras           *jsondoc.Value `json:"extras"`
}

// PromptGroup is a folder of prompts. ID is the divider's own identifier.
type PromptGroup struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Content       *string        `json:"content"`
	ParentGroupID *string        `json:"parentGroupId"`
	Order         *float64       `json:"order"`
	Enabled       *bool          `json:"enabled"`
	Extras        *jsondoc.Value `json:"extras"`
}

// Samplers are the numbers of the generation. Context and answer sizes are tokens.
type Samplers struct {
	Temperature          *float64 `json:"temperature"`
	TopP                 *float64 `json:"topP"`
	TopK                 *float64 `json:"topK"`
	TopA                 *float64 `json:"topA"`
	MinP                 *float64 `json:"minP"`
	FrequencyPenalty     *float64 `json:"frequencyPenalty"`
	PresencePenalty      *float64 `json:"presencePenalty"`
	RepetitionPenalty    *float64 `json:"repetitionPenalty"`
	MaxContext           *float64 `json:"maxContext"`
	MaxTokens            *float64 `json:"maxTokens"`
	MaxMessages          *float64 `json:"maxMessages"`
	ContextMode          *string  `json:"contextMode"` // tokens, messages
	PromptPostProcessing *string  `json:"promptPostProcessing"`
}

// SystemPrompts are the texts that an app sends on its own occasions.
type SystemPrompts struct {
	Impersonation          *string `json:"impersonation"`
	NewChat                *string `json:"newChat"`
	NewGroupChat           *string `json:"newGroupChat"`
	NewExampleChat         *string `json:"newExampleChat"`
	ContinueNudge          *string `json:"continueNudge"`
	GroupNudge             *string `json:"groupNudge"`
	AssistantPrefill       *string `json:"assistantPrefill"`
	AssistantImpersonation *string `json:"assistantImpersonation"`
}

// Templates are the frames around card fields.
type Templates struct {
	WorldInfoFormat   *string `json:"worldInfoFormat"`
	ScenarioFormat    *string `json:"scenarioFormat"`
	PersonalityFormat *string `json:"personalityFormat"`
}

// PresetBehavior are switches of how messages are put together.
type PresetBehavior struct {
	WrapInQuotes    *bool    `json:"wrapInQuotes"`
	NamesBehavior   *float64 `json:"namesBehavior"` // the app's number
	SendIfEmpty     *string  `json:"sendIfEmpty"`
	ContinuePrefill *bool    `json:"continuePrefill"`
	ContinuePostfix *string  `json:"continuePostfix"`
}

// APIOptions are switches of the model connection.
type APIOptions struct {
	StreamResponses        *bool   `json:"streamResponses"`
	ClaudeUseSystemPrompt  *bool   `json:"claudeUseSystemPrompt"`
	UseMakerSuiteSysPrompt *bool   `json:"useMakerSuiteSystemPrompt"`
	SquashSystemMessages   *bool   `json:"squashSystemMessages"`
	FunctionCalling        *bool   `json:"functionCalling"`
	ShowThoughts           *bool   `json:"showThoughts"`
	ReasoningEffort        *string `json:"reasoningEffort"`
	EnableWebSearch        *bool   `json:"enableWebSearch"`
	RequestImages          *bool   `json:"requestImages"`
}

// PresetMedia are switches for pictures and films in messages.
type PresetMedia struct {
	ImageInlining      *bool   `json:"imageInlining"`
	InlineImageQuality *string `json:"inlineImageQuality"`
	VideoInlining      *bool   `json:"videoInlining"`
}

// Generation are further switches of one generation.
type Generation struct {
	Seed               *float64 `json:"seed"`
	Completions        *float64 `json:"completions"`
	MaxContextUnlocked *bool    `json:"maxContextUnlocked"`
	BiasPreset         *string  `json:"biasPreset"`
}

// Choice types.
const (
	ChoiceOne    = "one"
	ChoiceMany   = "many"
	ChoiceToggle = "toggle"
	ChoiceInput  = "input"
)

// Choice is a question that a preset asks its user.
type Choice struct {
	ID          string         `json:"id"`
	Key         *string        `json:"key"`
	Label       string         `json:"label"`
	Readme      *string        `json:"readme"`
	Type        string         `json:"type"` // one, many, toggle, input
	Options     []ChoiceOption `json:"options"`
	Default     *jsondoc.Value `json:"default"` // a text, a list of texts, or true/false
	Min         *float64       `json:"min"`
	Placeholder *string        `json:"placeholder"`
	Suggestions []string       `json:"suggestions"`
	Separator   *string        `json:"separator"`
	RandomPick  *bool          `json:"randomPick"`
	SortOrder   *float64       `json:"sortOrder"`
	Extras      *jsondoc.Value `json:"extras"`
}

// ChoiceOption is one answer. Set maps "scope:key" to the value that a variable gets.
type ChoiceOption struct {
	ID             string              `json:"id"`
	Label          string              `json:"label"`
	Description    *string             `json:"description"`
	Value          *string             `json:"value"`
	EnablesPrompts []string            `json:"enablesPrompts"` // prompt ids
	Set            Map[*jsondoc.Value] `json:"set"`
}
