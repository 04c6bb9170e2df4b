package canonical

import "bunzai/jsondoc"

// Character is the body of a character card.
type Character struct {
	Identity     Identity      `json:"identity"`
	Persona      Portrayal     `json:"persona"`
	Prompts      Prompts       `json:"prompts"`
	Greetings    Greetings     `json:"greetings"`
	Examples     Examples      `json:"examples"`
	Media        Media         `json:"media"`
	Attribution  Attribution   `json:"attribution"`
	Discovery    Discovery     `json:"discovery"`
	Presentation *Presentation `json:"presentation"`
	Settings     *Settings     `json:"settings"`
	Bias         []Bias        `json:"bias"`
	// WorldName names an external lorebook of the source app; a link by name, never an embedded book.
	WorldName *string `json:"worldName"`
	// KnowledgeRefs are ids of linked lorebooks, in order.
	KnowledgeRefs []string   `json:"knowledgeRefs"`
	Behavior      *Behavior  `json:"behavior"`
	BehaviorRefs  []string   `json:"behaviorRefs"`
	Variants      []*Variant `json:"variants"`
	// Extra holds unknown members of a canonical file, by path; see UnmarshalBody.
	Extra *jsondoc.Value `json:"-"`
}

// Identity says who the character is. Name is required and may be "".
type Identity struct {
	Name             string  `json:"name"`
	Nickname         *string `json:"nickname"` // what {{char}} expands to, when not empty
	Tagline          *string `json:"tagline"`
	Description      *string `json:"description"` // the main block
	CharacterVersion *string `json:"characterVersion"`
	FullName         *string `json:"fullName"`
	Title            *string `json:"title"`
	Age              *string `json:"age"`
	Pronouns         *string `json:"pronouns"`
	Culture          *string `json:"culture"`
}

// Portrayal is how the character comes across.
type Portrayal struct {
	Personality *string      `json:"personality"`
	Scenario    *string      `json:"scenario"`
	Appearance  *string      `json:"appearance"`
	Voice       *Voice       `json:"voice"`
	ImagePrompt *ImagePrompt `json:"imagePrompt"`
	Structured  *Structured  `json:"structured"`
}

// Voice is a text-to-speech choice. Provider is an open word.
type Voice struct {
	Provider string         `json:"provider"`
	VoiceID  *string        `json:"voiceId"`
	Rate     *float64       `json:"rate"`
	Pitch    *float64       `json:"pitch"`
	Disabled *bool          `json:"disabled"`
	Extras   *jsondoc.Value `json:"extras"`
}

// ImagePrompt is text for image generation.
type ImagePrompt struct {
	Prompt              *string `json:"prompt"`
	Prefix              *string `json:"prefix"`
	Suffix              *string `json:"suffix"`
	Negative            *string `json:"negative"`
	Template            *string `json:"template"`
	Instructions        *string `json:"instructions"`
	EmotionInstructions *string `json:"emotionInstructions"`
	Rows                []Row   `json:"rows"`
}

// Row is a labelled text.
type Row struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Structured is an attribute list in the style of Agnai. Kind is text, attributes, wpp, sbf or boostyle.
type Structured struct {
	Kind       string        `json:"kind"`
	Attributes Map[[]string] `json:"attributes"`
}

// Prompts are the texts that go to the model beside the description.
type Prompts struct {
	SystemPrompt            *string          `json:"systemPrompt"`
	PostHistoryInstructions *string          `json:"postHistoryInstructions"`
	DepthInjections         []DepthInjection `json:"depthInjections"`
	Prefill                 *string          `json:"prefill"`
	AdditionalText          *string          `json:"additionalText"`
}

// DepthInjection is a text placed a number of messages from the end. Origin decides its wire home.
type DepthInjection struct {
	Text    string   `json:"text"`
	Depth   *float64 `json:"depth"`
	Role    *string  `json:"role"`   // system, user, assistant
	Origin  *string  `json:"origin"` // depth_prompt, rolecall_details, worldinfo
	Enabled *bool    `json:"enabled"`
}

// Greetings are the opening messages.
type Greetings struct {
	FirstMessage       *string    `json:"firstMessage"`
	AlternateGreetings []Greeting `json:"alternateGreetings"`
	GroupOnlyGreetings []Greeting `json:"groupOnlyGreetings"`
}

// Greeting is one alternate opening. ID is a format's own provenance.
type Greeting struct {
	Text  string  `json:"text"`
	Title *string `json:"title"`
	ID    *string `json:"id"`
}

// Examples are example dialogues.
type Examples struct {
	ExampleMessages *string `json:"exampleMessages"`
}

// Media are the pictures and other assets.
type Media struct {
	Portrait   *Asset   `json:"portrait"`
	Assets     []*Asset `json:"assets"`
	Sprite     *Sprite  `json:"sprite"`
	VisualKind *string  `json:"visualKind"`
	FaceLabel  *string  `json:"faceLabel"`
}

// Asset roles.
const (
	RolePortrait   = "portrait"
	RoleEmotion    = "emotion"
	RoleOutfit     = "outfit"
	RolePose       = "pose"
	RoleBackground = "background"
	RoleOther      = "other"
)

// Asset is one picture, sound or model. Ref is where the source keeps it: an archive path, a data URI (empty when
// Blob holds the bytes), an http(s) URL or "ccdefault:". Blob is nil when the bytes are not in the file.
type Asset struct {
	Role    string  `json:"role"`
	Type    *string `json:"type"` // the CCv3 asset type as written, where it says more than Role
	Name    *string `json:"name"`
	Label   *string `json:"label"`
	Primary *bool   `json:"primary"`
	Ref     string  `json:"ref"`
	Mime    *string `json:"mime"`
	Ext     *string `json:"ext"` // the CCv3 ext as written
	Blob    *Blob   `json:"-"`
}

// Sprite is a composite avatar.
type Sprite struct {
	Parts     Map[string] `json:"parts"`
	Gender    *string     `json:"gender"`
	EyeColor  *string     `json:"eyeColor"`
	BodyColor *string     `json:"bodyColor"`
	HairColor *string     `json:"hairColor"`
}

// Attribution says who made it. Dates are unix seconds.
type Attribution struct {
	Creator                  *string     `json:"creator"`
	OriginalCreator          *string     `json:"originalCreator"`
	SourceURL                *string     `json:"sourceUrl"`
	License                  *string     `json:"license"`
	Source                   []string    `json:"source"`
	CreatorNotes             *string     `json:"creatorNotes"`
	CreatorNotesMultilingual Map[string] `json:"creatorNotesMultilingual"`
	PublicNote               *string     `json:"publicNote"`
	CreatedAt                *float64    `json:"createdAt"`
	UpdatedAt                *float64    `json:"updatedAt"`
}

// Discovery is how the card is found. Rating is all-ages, mature or explicit.
type Discovery struct {
	Tags            []string `json:"tags"`
	Genre           *string  `json:"genre"`
	Fandom          *string  `json:"fandom"`
	Rating          *string  `json:"rating"`
	ContentWarnings []string `json:"contentWarnings"`
}

// Presentation is how the card page looks.
type Presentation struct {
	SignatureColor *string     `json:"signatureColor"`
	GradientColors []string    `json:"gradientColors"`
	Palette        []Swatch    `json:"palette"`
	Background     *Background `json:"background"`
	FieldOrder     []string    `json:"fieldOrder"`
	Spoilers       *Spoilers   `json:"spoilers"`
	MediaLinks     []string    `json:"mediaLinks"`
}

// Swatch is a colour.
type Swatch struct {
	Label *string `json:"label"`
	Name  *string `json:"name"`
	Hex   string  `json:"hex"`
}

// Background is a page or scene background.
type Background struct {
	Ref               string   `json:"ref"`
	OverlayOpacity    *float64 `json:"overlayOpacity"`
	VideoPlaybackRate *float64 `json:"videoPlaybackRate"`
	Blob              *Blob    `json:"-"`
}

// Spoilers hides fields from readers.
type Spoilers struct {
	Mode   *string   `json:"mode"`
	Order  []string  `json:"order"`
	Fields Map[bool] `json:"fields"`
}

// Settings are behaviour switches of apps.
type Settings struct {
	Talkativeness  *float64       `json:"talkativeness"` // 0..1
	Risu           *RisuSettings  `json:"risu"`
	ResponseSchema *jsondoc.Value `json:"responseSchema"`
}

// RisuSettings are Risu's view switches.
type RisuSettings struct {
	ViewScreen      *string `json:"viewScreen"`
	LargePortrait   *bool   `json:"largePortrait"`
	InlayViewScreen *bool   `json:"inlayViewScreen"`
	UtilityBot      *bool   `json:"utilityBot"`
	LorePlus        *bool   `json:"lorePlus"`
}

// Bias is a token bias.
type Bias struct {
	Phrase string  `json:"phrase"`
	Weight float64 `json:"weight"`
}

// Behavior holds scripts as data. They are carried and shown as text, never run.
type Behavior struct {
	RegexScripts     []CardRegex    `json:"regexScripts"`
	TriggerScripts   []CardTrigger  `json:"triggerScripts"`
	VirtualScript    *string        `json:"virtualScript"`
	BackgroundHTML   *string        `json:"backgroundHTML"`
	BackgroundCSS    *string        `json:"backgroundCSS"`
	DefaultVariables *string        `json:"defaultVariables"`
	PrebuiltAsset    *PrebuiltAsset `json:"prebuiltAsset"`
	ModuleToggles    *string        `json:"moduleToggles"`
	Privileged       *bool          `json:"privileged"`
}

// CardRegex is a regex script of a Risu card.
type CardRegex struct {
	Label    *string `json:"label"`
	Find     string  `json:"find"`
	Replace  string  `json:"replace"`
	Phase    string  `json:"phase"`
	Flags    *string `json:"flags"`
	UseFlags *bool   `json:"useFlags"`
}

// CardTrigger is a trigger script of a Risu card.
type CardTrigger struct {
	Label      *string        `json:"label"`
	Event      string         `json:"event"`
	Conditions *jsondoc.Value `json:"conditions"`
	Effects    *jsondoc.Value `json:"effects"`
}

// PrebuiltAsset is Risu's prebuilt asset command.
type PrebuiltAsset struct {
	Command *bool    `json:"command"`
	Exclude []string `json:"exclude"`
	Style   *string  `json:"style"`
}

// Variant is an alternative of the character. MirrorBase absent or true: unset parts inherit; false: each section
// that the variant defines replaces the base's whole section.
type Variant struct {
	ID         string    `json:"id"`
	Label      *string   `json:"label"`
	MirrorBase *bool     `json:"mirrorBase"`
	Overrides  Overrides `json:"overrides"`
}

// Overrides are the parts of the body that a variant sets.
type Overrides struct {
	Identity *VariantIdentity `json:"identity"`
	Persona  *VariantPersona  `json:"persona"`
	Media    *VariantMedia    `json:"media"`
}

// VariantIdentity overrides identity.
type VariantIdentity struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
}

// VariantPersona overrides persona.
type VariantPersona struct {
	Personality *string `json:"personality"`
	Scenario    *string `json:"scenario"`
}

// VariantMedia overrides media.
type VariantMedia struct {
	Portrait *Asset `json:"portrait"`
}
