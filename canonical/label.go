package canonical

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Label names a path of a body for people: "First message", "Alternate greeting 3", `Lorebook entry 4 "Clock":
// position`, `Emotion picture "happy"`. Elements are numbered from 1 and named after what the body holds there, so
// body should be the one whose indices the path has (the first of Diff); an element that only the second body has
// ("[+2]") is numbered alone, and "[]" is the plural. A path without words of its own is named by the words of its nearest parent, and what is
// no path of the body comes back as it is.
func Label(body any, path string) string {
	v, p, ok := bodyOf(body)
	if !ok {
		return path
	}
	t, ok := parsePath(path)
	if !ok || len(t) == 0 {
		return path
	}
	table := wordsOf(KindOf(body))
	var parts []string
	var generic strings.Builder
	word, found := "", false
	for _, s := range t {
		switch {
		case s.idx >= 0:
			generic.WriteString("[]")
			w, ok := table[generic.String()]
			if !ok {
				return path
			}
			p, v = into(p, v, s)
			label := w + " " + strconv.Itoa(s.idx+1)
			if s.all {
				label, v = plural(w), reflect.Value{}
			} else if s.plus {
				label += " (added)"
			} else {
				label = elementLabel(w, label, v)
			}
			parts, word, found = append(parts, label), "", true
			continue
		case p != nil && p.op == opMap:
			generic.WriteString(".*")
			w, ok := table[generic.String()]
			if !ok {
				return path
			}
			p, v = into(p, v, s)
			label := w + " " + keyWord(s.name)
			if s.name == "*" {
				label = strings.TrimSuffix(w, " in")
			}
			parts, word, found = append(parts, label), "", true
			continue
		case generic.Len() > 0:
			generic.WriteByte('.')
		}
		generic.WriteString(s.name)
		p, v = into(p, v, s)
		if p == nil {
			return path
		}
		if w, ok := table[generic.String()]; ok {
			word, found = w, true
		}
	}
	if !found {
		return path
	}
	if word != "" && !simpleText[generic.String()] {
		parts = append(parts, word)
	}
	return upperFirst(strings.Join(parts, ": "))
}

// plural is the word for every element of a list.
func plural(w string) string {
	if i := strings.Index(w, " at "); i > 0 {
		return plural(w[:i]) + w[i:]
	}
	if y, ok := strings.CutSuffix(w, "y"); ok && !strings.HasSuffix(y, "e") {
		return y + "ies"
	}
	return w + "s"
}

// into follows one step through plan and value; the value is invalid where the body has nothing there, and the plan
// is nil where the model has nothing.
func into(p *plan, v reflect.Value, s step) (*plan, reflect.Value) {
	var no reflect.Value
	if p != nil && p.op == opRef {
		p = p.elem
		if v.IsValid() {
			v = v.Elem() // invalid for nil
		}
	}
	switch {
	case p == nil:
		return nil, no
	case s.idx >= 0:
		if p.op != opList {
			return nil, no
		}
		if s.plus || !v.IsValid() || s.idx >= v.Len() {
			return p.elem, no
		}
		return p.elem, v.Index(s.idx)
	case p.op == opMap:
		if v.IsValid() {
			for i := range v.Len() {
				if m := v.Index(i); m.Field(0).String() == s.name {
					return p.elem, m.Field(1)
				}
			}
		}
		return p.elem, no
	case p.op == opStruct:
		f := p.field(s.name)
		if f == nil {
			return nil, no
		}
		if !v.IsValid() {
			return f.plan, no
		}
		return f.plan, v.Field(f.index)
	}
	return nil, no
}

// elementLabel adds the name of an element to its label, or for pictures puts it in place of the number.
func elementLabel(word, label string, v reflect.Value) string {
	if !v.IsValid() {
		return label
	}
	name := ""
	switch e := v.Interface().(type) {
	case *Entry:
		if e != nil {
			name = Or(e.Title, "")
		}
	case *Asset:
		if e == nil {
			return label
		}
		what := "picture"
		if e.Blob != nil {
			what = mediaWord(e.Blob.Mime)
		} else if e.Mime != nil {
			what = mediaWord(*e.Mime)
		}
		label = roleWord(e.Role) + " " + what + strings.TrimPrefix(label, word)
		if n := firstOf(e.Label, e.Name); n != "" {
			return roleWord(e.Role) + " " + what + " " + quote(n)
		}
	case *Variant:
		if e != nil {
			name = firstOf(e.Label, &e.ID)
		}
	case Greeting:
		name = Or(e.Title, "")
	case Trigger:
		name = e.Keyword
	case Category:
		name = e.Name
	case Row:
		name = e.Label
	case Swatch:
		name = firstOf(e.Label, e.Name)
	case Bias:
		name = e.Phrase
	case Effect:
		name = e.Variable
	case CardRegex:
		name = Or(e.Label, "")
	case CardTrigger:
		name = Or(e.Label, "")
	case RegexRule:
		name = e.Label
	case Prompt:
		name = e.Name
	case PromptGroup:
		name = e.Name
	case Choice:
		name = e.Label
	case ChoiceOption:
		name = e.Label
	case QuickReply:
		name = e.Label
	}
	if strings.TrimSpace(name) == "" {
		return label
	}
	return label + " " + quote(name)
}

func keyWord(k string) string {
	for _, r := range k {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' {
			return quote(k)
		}
	}
	if k == "" {
		return `""`
	}
	return k
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// wordsOf returns the words of a kind by generic path.
func wordsOf(k Kind) map[string]string { return allWords()[k] }

var allWords = sync.OnceValue(func() map[Kind]map[string]string {
	out := map[Kind]map[string]string{}
	for k, text := range wordTables {
		m := map[string]string{extraName: "members that bunzai does not know"}
		for line := range strings.Lines(text) {
			path, word, ok := strings.Cut(strings.TrimSpace(line), " = ")
			if !ok {
				continue
			}
			if path, ok = strings.CutSuffix(path, "@asset"); ok {
				addAsset(m, path, word)
				continue
			}
			m[path] = word
		}
		out[k] = m
	}
	return out
})

// addAsset adds the words of a picture; the word before its fields is left out for an element of a list.
func addAsset(m map[string]string, path, word string) {
	m[path] = word
	lead := word + ": "
	if strings.HasSuffix(path, "[]") {
		lead = ""
	}
	for _, f := range [][2]string{{"role", "role"}, {"type", "type"}, {"name", "name"}, {"label", "label"},
		{"primary", "main picture"}, {"ref", "where it is kept"}, {"mime", "media type"}, {"ext", "file ending"},
		{contentName, "content"}} {
		m[path+"."+f[0]] = lead + f[1]
	}
}

// wordTables say what each path is called: generic path, " = ", words. A list has a row for itself and one for its
// elements, which are numbered; a map one for itself and one for its members, which are followed by their key. Rows
// within an element are what stands after "Lorebook entry 4: ".
var wordTables = map[Kind]string{
	KindCharacter: `
identity.name = name
identity.nickname = nickname
identity.tagline = tagline
identity.description = description
identity.characterVersion = version
identity.fullName = full name
identity.title = title
identity.age = age
identity.pronouns = pronouns
identity.culture = language
persona.personality = personality
persona.scenario = scenario
persona.appearance = appearance
persona.voice = voice
persona.voice.provider = voice: provider
persona.voice.voiceId = voice: which one
persona.voice.rate = voice: speed
persona.voice.pitch = voice: pitch
persona.voice.disabled = voice: switched off
persona.voice.extras = voice: further settings
persona.imagePrompt = image prompt
persona.imagePrompt.prompt = image prompt
persona.imagePrompt.prefix = image prompt: beginning
persona.imagePrompt.suffix = image prompt: end
persona.imagePrompt.negative = image prompt: what to avoid
persona.imagePrompt.template = image prompt: template
persona.imagePrompt.instructions = image prompt: instructions
persona.imagePrompt.emotionInstructions = image prompt: instructions for emotions
persona.imagePrompt.rows = image prompt rows
persona.imagePrompt.rows[] = image prompt row
persona.imagePrompt.rows[].label = label
persona.imagePrompt.rows[].value = text
persona.structured = attributes
persona.structured.kind = attributes: kind of list
persona.structured.attributes = attributes
persona.structured.attributes.* = attribute
persona.structured.attributes.*[] = value
prompts.systemPrompt = system prompt
prompts.postHistoryInstructions = post-history instructions
prompts.depthInjections = notes at depth
prompts.depthInjections[] = note at depth
prompts.depthInjections[].text = text
prompts.depthInjections[].depth = depth
prompts.depthInjections[].role = role
prompts.depthInjections[].origin = where it comes from
prompts.depthInjections[].enabled = switched on
prompts.prefill = prefill
prompts.additionalText = additional text
greetings.firstMessage = first message
greetings.alternateGreetings = alternate greetings
greetings.alternateGreetings[] = alternate greeting
greetings.alternateGreetings[].text = text
greetings.alternateGreetings[].title = title
greetings.alternateGreetings[].id = id
greetings.groupOnlyGreetings = group greetings
greetings.groupOnlyGreetings[] = group greeting
greetings.groupOnlyGreetings[].text = text
greetings.groupOnlyGreetings[].title = title
greetings.groupOnlyGreetings[].id = id
examples.exampleMessages = example messages
media.portrait@asset = portrait
media.assets = pictures
media.assets[]@asset = picture
media.sprite = sprite
media.sprite.parts = sprite parts
media.sprite.parts.* = sprite part
media.sprite.gender = sprite: gender
media.sprite.eyeColor = sprite: eye colour
media.sprite.bodyColor = sprite: body colour
media.sprite.hairColor = sprite: hair colour
media.visualKind = kind of picture
media.faceLabel = face shown as portrait
attribution.creator = creator
attribution.originalCreator = original creator
attribution.sourceUrl = web address of the source
attribution.license = license
attribution.source = sources
attribution.source[] = source
attribution.creatorNotes = creator's notes
attribution.creatorNotesMultilingual = creator's notes in other languages
attribution.creatorNotesMultilingual.* = creator's notes in
attribution.publicNote = public note
attribution.createdAt = date of creation
attribution.updatedAt = date of the last change
discovery.tags = tags
discovery.tags[] = tag
discovery.genre = genre
discovery.fandom = fandom
discovery.rating = rating
discovery.contentWarnings = content warnings
discovery.contentWarnings[] = content warning
presentation = page design
presentation.signatureColor = signature colour
presentation.gradientColors = gradient colours
presentation.gradientColors[] = gradient colour
presentation.palette = palette
presentation.palette[] = palette colour
presentation.palette[].label = label
presentation.palette[].name = name
presentation.palette[].hex = colour
presentation.background = background
presentation.background.ref = background: where it is kept
presentation.background.overlayOpacity = background: overlay opacity
presentation.background.videoPlaybackRate = background: film speed
presentation.background.content = background: content
presentation.fieldOrder = order of fields
presentation.fieldOrder[] = order of fields: place
presentation.spoilers = spoilers
presentation.spoilers.mode = spoilers: mode
presentation.spoilers.order = spoilers: order
presentation.spoilers.order[] = spoilers: place
presentation.spoilers.fields = spoilers: fields
presentation.spoilers.fields.* = spoiler for
presentation.mediaLinks = media links
presentation.mediaLinks[] = media link
settings = settings
settings.talkativeness = talkativeness
settings.risu = Risu settings
settings.risu.viewScreen = Risu: view screen
settings.risu.largePortrait = Risu: large portrait
settings.risu.inlayViewScreen = Risu: inlay view screen
settings.risu.utilityBot = Risu: utility bot
settings.risu.lorePlus = Risu: lore plus
settings.responseSchema = schema of answers
bias = token biases
bias[] = token bias
bias[].phrase = phrase
bias[].weight = weight
worldName = name of the linked world
knowledgeRefs = linked lorebooks
knowledgeRefs[] = linked lorebook
behavior = scripts
behavior.regexScripts = regex scripts
behavior.regexScripts[] = regex script
behavior.regexScripts[].label = label
behavior.regexScripts[].find = find
behavior.regexScripts[].replace = replace
behavior.regexScripts[].phase = phase
behavior.regexScripts[].flags = flags
behavior.regexScripts[].useFlags = flags switched on
behavior.triggerScripts = trigger scripts
behavior.triggerScripts[] = trigger script
behavior.triggerScripts[].label = label
behavior.triggerScripts[].event = event
behavior.triggerScripts[].conditions = conditions
behavior.triggerScripts[].effects = effects
behavior.virtualScript = virtual script
behavior.backgroundHTML = background HTML
behavior.backgroundCSS = background CSS
behavior.defaultVariables = default variables
behavior.prebuiltAsset = prebuilt asset command
behavior.prebuiltAsset.command = prebuilt asset command: switched on
behavior.prebuiltAsset.exclude = prebuilt asset command: excluded
behavior.prebuiltAsset.exclude[] = prebuilt asset command: excluded
behavior.prebuiltAsset.style = prebuilt asset command: style
behavior.moduleToggles = module toggles
behavior.privileged = asks for deep access
behaviorRefs = linked regex sets
behaviorRefs[] = linked regex set
variants = variants
variants[] = variant
variants[].id = id
variants[].label = label
variants[].mirrorBase = inherits from the base
variants[].overrides.identity = identity
variants[].overrides.identity.name = name
variants[].overrides.identity.description = description
variants[].overrides.persona = persona
variants[].overrides.persona.personality = personality
variants[].overrides.persona.scenario = scenario
variants[].overrides.media = pictures
variants[].overrides.media.portrait@asset = portrait
`,
	KindLorebook: `
name = book name
description = book description
genre = genre
fandom = fandom
lorebookType = kind of book
tags = tags
tags[] = tag
enabled = book switched on
globalCaseSensitive = case-sensitive keywords
globalMatchWholeWords = whole words only
globalRecursion = recursive scanning
globalScanDepth = scan depth
tokenBudget = token budget
entryBudget = entry budget
budgetMode = which budget counts
entries = lorebook entries
entries[] = lorebook entry
entries[].id = id
entries[].title = title
entries[].content = content
entries[].comment = private note
entries[].enabled = switched on
entries[].constant = always active
entries[].triggerMode = trigger mode
entries[].triggers = keywords
entries[].triggers[] = keyword
entries[].triggers[].keyword = text
entries[].triggers[].isRegex = is a pattern
entries[].triggers[].flags = pattern flags
entries[].triggers[].frequency = frequency
entries[].triggers[].probability = probability
entries[].secondaryTriggers = secondary keywords
entries[].secondaryTriggers[] = secondary keyword
entries[].secondaryTriggers[].keyword = text
entries[].secondaryTriggers[].isRegex = is a pattern
entries[].secondaryTriggers[].flags = pattern flags
entries[].secondaryTriggers[].frequency = frequency
entries[].secondaryTriggers[].probability = probability
entries[].selectiveLogic = logic of secondary keywords
entries[].caseSensitive = case-sensitive keywords
entries[].matchWholeWords = whole words only
entries[].scanDepth = scan depth
entries[].position = position
entries[].depth = depth
entries[].role = role
entries[].outletName = outlet name
entries[].marker = marker
entries[].markerSide = side of the marker
entries[].sortOrder = order
entries[].priority = priority
entries[].sticky = sticky
entries[].cooldown = cooldown
entries[].delay = delay
entries[].groupName = inclusion group
entries[].groupWeight = weight in the group
entries[].groupOverride = wins its group
entries[].useGroupScoring = group scoring
entries[].categoryId = category
entries[].probability = probability
entries[].useProbability = probability switched on
entries[].useMemo = memo
entries[].excludeRecursion = not found by recursion
entries[].preventRecursion = starts no recursion
entries[].delayUntilRecursion = waits for recursion
entries[].ignoreBudget = ignores the budget
entries[].characterFilter = character filter
entries[].characterFilter.names = character filter: names
entries[].characterFilter.names[] = character filter: name
entries[].characterFilter.tags = character filter: tags
entries[].characterFilter.tags[] = character filter: tag
entries[].characterFilter.isExclude = character filter excludes
entries[].generationTypes = generation types
entries[].generationTypes[] = generation type
entries[].scanCharacterDescription = scans the description
entries[].scanCharacterPersonality = scans the personality
entries[].scanUserPersona = scans the user persona
entries[].scanScenario = scans the scenario
entries[].scanCharacterDepthPrompt = scans the note at depth
entries[].scanCreatorNotes = scans the creator's notes
entries[].vectorized = vectorized
entries[].automationId = automation id
entries[].displayIndex = place in the editor
entries[].keyRelative = relative to the keyword
entries[].nonStoryActivatable = found outside the story
entries[].contextConfig = context settings
entries[].contextConfig.prefix = context settings: prefix
entries[].contextConfig.suffix = context settings: suffix
entries[].contextConfig.tokenBudget = context settings: token budget
entries[].contextConfig.reservedTokens = context settings: reserved tokens
entries[].contextConfig.trimDirection = context settings: trim direction
entries[].contextConfig.insertionType = context settings: insertion type
entries[].contextConfig.maximumTrimType = context settings: greatest trim
entries[].contextConfig.insertionPosition = context settings: insertion position
entries[].loreBiasGroups = token bias groups
entries[].sideEffects = variable changes
entries[].sideEffects.effects = variable changes
entries[].sideEffects.effects[] = variable change
entries[].sideEffects.effects[].type = type
entries[].sideEffects.effects[].variable = variable
entries[].sideEffects.effects[].value = value
entries[].sideEffects.effects[].amount = amount
entries[].sideEffects.effects[].scope = scope
entries[].sideEffects.onlyOnFirstTrigger = variable changes only once
entries[].sideEffects.clearOnDeactivate = variable changes are undone
entries[].metadata = metadata
categories = categories
categories[] = category
categories[].id = id
categories[].name = name
categories[].sortOrder = order
categories[].enabled = switched on
`,
	KindRegex: `
name = name
description = description
enabled = set switched on
rules = rules
rules[] = rule
rules[].id = id
rules[].label = label
rules[].note = note
rules[].find = find
rules[].flags = flags
rules[].replace = replace
rules[].useFlags = flags switched on
rules[].trimStrings = trimmed texts
rules[].trimStrings[] = trimmed text
rules[].phases = phases
rules[].phases[] = phase
rules[].targets = targets
rules[].targets[] = target
rules[].substituteFind = macros in the pattern
rules[].minDepth = least depth
rules[].maxDepth = greatest depth
rules[].runOnEdit = runs on edit
rules[].characterIds = characters
rules[].characterIds[] = character
rules[].firstMatchOnly = first match only
rules[].overlay = overlay
rules[].condition = condition
rules[].condition.ruleId = condition: rule
rules[].condition.matched = condition: matched
rules[].enabled = switched on
rules[].sortOrder = order
rules[].extras = further settings
`,
	KindPersona: `
name = name
brief = short description
content = content
sections = sections
sections.appearance = appearance
sections.body = body
sections.personality = personality
sections.quirks = quirks
sections.history = history
sectionOrder = order of sections
sectionOrder[] = order of sections: place
traits = traits
traits[] = trait
identity = identity
identity.tagline = tagline
identity.age = age
identity.height = height
identity.pronouns = pronouns
identity.pronounSet = set of pronouns
identity.pronounSet.subjective = pronoun: subject
identity.pronounSet.objective = pronoun: object
identity.pronounSet.possessive = pronoun: possessive
presentation = page design
presentation.signatureColor = signature colour
presentation.colors = colours
presentation.colors[] = colour
presentation.colors[].label = label
presentation.colors[].name = name
presentation.colors[].hex = colour
presentation.imageUrl = web address of the picture
knowledgeRefs = linked lorebooks
knowledgeRefs[] = linked lorebook
rating = rating
chatInjection = place in the chat
chatInjection.position = place in the chat: position
chatInjection.depth = place in the chat: depth
chatInjection.role = place in the chat: role
chatInjection.wrapper = place in the chat: wrapper
attribution = attribution
attribution.creator = creator
attribution.version = version
attribution.createdAt = date of creation
attribution.source = source
media = pictures
media.portrait@asset = portrait
`,
	KindPreset: `
name = name
description = description
enabled = preset switched on
prompts = prompts
prompts[] = prompt
prompts[].id = id
prompts[].name = name
prompts[].content = content
prompts[].role = role
prompts[].enabled = switched on
prompts[].systemPrompt = system prompt
prompts[].marker = marker
prompts[].markerSlot = what the marker stands for
prompts[].placement = placement
prompts[].injectionDepth = depth
prompts[].injectionOrder = order at its depth
prompts[].forbidOverrides = cards may not override it
prompts[].injectionTrigger = generation types
prompts[].injectionTrigger[] = generation type
prompts[].isDefault = part of the app
prompts[].groupId = group
prompts[].wrapInXml = wrapped in XML
prompts[].xmlTagName = XML tag
prompts[].extras = further settings
groups = groups
groups[] = group
groups[].id = id
groups[].name = name
groups[].content = content
groups[].parentGroupId = parent group
groups[].order = order
groups[].enabled = switched on
groups[].extras = further settings
samplers = samplers
samplers.temperature = temperature
samplers.topP = top P
samplers.topK = top K
samplers.topA = top A
samplers.minP = min P
samplers.frequencyPenalty = frequency penalty
samplers.presencePenalty = presence penalty
samplers.repetitionPenalty = repetition penalty
samplers.maxContext = context size
samplers.maxTokens = answer size
samplers.maxMessages = greatest number of messages
samplers.contextMode = context counted in
samplers.promptPostProcessing = prompt post-processing
systemPrompts = system prompts
systemPrompts.impersonation = impersonation prompt
systemPrompts.newChat = new chat prompt
systemPrompts.newGroupChat = new group chat prompt
systemPrompts.newExampleChat = new example chat prompt
systemPrompts.continueNudge = continue nudge
systemPrompts.groupNudge = group nudge
systemPrompts.assistantPrefill = assistant prefill
systemPrompts.assistantImpersonation = assistant impersonation
templates = templates
templates.worldInfoFormat = world info format
templates.scenarioFormat = scenario format
templates.personalityFormat = personality format
behavior = behaviour
behavior.wrapInQuotes = wrap in quotes
behavior.namesBehavior = names in messages
behavior.sendIfEmpty = sent when the message is empty
behavior.continuePrefill = continue with prefill
behavior.continuePostfix = continue postfix
apiOptions = model options
apiOptions.streamResponses = streaming
apiOptions.claudeUseSystemPrompt = system prompt for Claude
apiOptions.useMakerSuiteSystemPrompt = system prompt for MakerSuite
apiOptions.squashSystemMessages = squash system messages
apiOptions.functionCalling = function calling
apiOptions.showThoughts = show thoughts
apiOptions.reasoningEffort = reasoning effort
apiOptions.enableWebSearch = web search
apiOptions.requestImages = request images
media = media options
media.imageInlining = inline pictures
media.inlineImageQuality = quality of inline pictures
media.videoInlining = inline films
generation = generation options
generation.seed = seed
generation.completions = number of answers
generation.maxContextUnlocked = context size unlocked
generation.biasPreset = bias preset
choices = choices
choices[] = choice
choices[].id = id
choices[].key = key
choices[].label = label
choices[].readme = explanation
choices[].type = type
choices[].options = options
choices[].options[] = option
choices[].options[].id = id
choices[].options[].label = label
choices[].options[].description = description
choices[].options[].value = value
choices[].options[].enablesPrompts = prompts that it switches on
choices[].options[].enablesPrompts[] = prompt that it switches on
choices[].options[].set = variables
choices[].options[].set.* = variable
choices[].default = default
choices[].min = least number
choices[].placeholder = placeholder
choices[].suggestions = suggestions
choices[].suggestions[] = suggestion
choices[].separator = separator
choices[].randomPick = random pick
choices[].sortOrder = order
choices[].extras = further settings
behaviorRefs = linked regex sets
behaviorRefs[] = linked regex set
quickReplyRefs = linked quick reply sets
quickReplyRefs[] = linked quick reply set
`,
	KindQuickReply: `
name = name
replies = quick replies
replies[] = quick reply
replies[].id = id
replies[].label = label
replies[].message = script
replies[].title = tooltip
replies[].hidden = hidden
replies[].extras = further settings
extras = further settings
notes = notes
`,
}

// simpleText are list elements of which one text is the thing itself: its label is that of the element.
var simpleText = map[string]bool{
	"greetings.alternateGreetings[].text":   true,
	"greetings.groupOnlyGreetings[].text":   true,
	"prompts.depthInjections[].text":        true,
	"entries[].triggers[].keyword":          true,
	"entries[].secondaryTriggers[].keyword": true,
}
