package canonical

import "bunzai/jsondoc"

// Persona is the body of a user persona: who the person at the keyboard plays.
type Persona struct {
	Name          string               `json:"name"`    // never synthesized
	Brief         *string              `json:"brief"`   // shelf blurb, never the injected text
	Content       string               `json:"content"` // the injected text
	Sections      *PersonaSections     `json:"sections"`
	SectionOrder  []string             `json:"sectionOrder"` // for display
	Traits        []string             `json:"traits"`
	Identity      *PersonaIdentity     `json:"identity"`
	Presentation  *PersonaPresentation `json:"presentation"`
	KnowledgeRefs []string             `json:"knowledgeRefs"` // ids of linked lorebooks, in order
	Rating        *string              `json:"rating"`        // all-ages, mature, explicit
	ChatInjection *ChatInjection       `json:"chatInjection"`
	Attribution   *PersonaAttribution  `json:"attribution"`
	Media         *PersonaMedia        `json:"media"`
	// Extra holds unknown members of a canonical file, by path; see UnmarshalBody.
	Extra *jsondoc.Value `json:"-"`
}

// PersonaSections are the parts that make the content when it is empty, in this order, as "Label: text" blocks.
type PersonaSections struct {
	Appearance  *string `json:"appearance"`
	Body        *string `json:"body"`
	Personality *string `json:"personality"`
	Quirks      *string `json:"quirks"`
	History     *string `json:"history"`
}

// PersonaIdentity are facts about the persona.
type PersonaIdentity struct {
	Tagline    *string     `json:"tagline"`
	Age        *string     `json:"age"`
	Height     *string     `json:"height"`
	Pronouns   *string     `json:"pronouns"`
	PronounSet *PronounSet `json:"pronounSet"`
}

// PronounSet is "she", "her", "hers".
type PronounSet struct {
	Subjective *string `json:"subjective"`
	Objective  *string `json:"objective"`
	Possessive *string `json:"possessive"`
}

// PersonaPresentation is how the persona looks on its page.
type PersonaPresentation struct {
	SignatureColor *string  `json:"signatureColor"`
	Colors         []Swatch `json:"colors"`
	ImageURL       *string  `json:"imageUrl"`
}

// ChatInjection says where the content goes. Positions: prompt, author_note_top, author_note_bottom, in_chat, none
// (SillyTavern); world, character, scene, depth (RoleCall); open.
type ChatInjection struct {
	Position string   `json:"position"`
	Depth    *float64 `json:"depth"` // messages from the end
	Role     *string  `json:"role"`  // system, user, assistant
	Wrapper  *string  `json:"wrapper"`
}

// PersonaAttribution says who made it. CreatedAt is an ISO 8601 text.
type PersonaAttribution struct {
	Creator   *string `json:"creator"`
	Version   *string `json:"version"`
	CreatedAt *string `json:"createdAt"`
	Source    *string `json:"source"`
}

// PersonaMedia are the pictures of a persona.
type PersonaMedia struct {
	Portrait *Asset `json:"portrait"`
}
