package canonical

import "bunzai/jsondoc"

// QuickReplySet is the body of a set of quick replies: buttons with scripts. The scripts are data, never run.
type QuickReplySet struct {
	Name    string         `json:"name"`
	Replies []QuickReply   `json:"replies"`
	Extras  *jsondoc.Value `json:"extras"` // leftovers of the set, written back as they are
	Notes   *string        `json:"notes"`
	// Extra holds unknown members of a canonical file, by path; see UnmarshalBody.
	Extra *jsondoc.Value `json:"-"`
}

// QuickReply is one button.
type QuickReply struct {
	ID      string         `json:"id"`      // the source's id as text, else the index from 1; provenance
	Label   string         `json:"label"`   // "" allowed
	Message string         `json:"message"` // script text
	Title   *string        `json:"title"`   // the tooltip
	Hidden  *bool          `json:"hidden"`
	Extras  *jsondoc.Value `json:"extras"`
}
