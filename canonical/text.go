package canonical

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"bunzai/jsondoc"
)

// Text renders a value of a Change or of Walk for people: texts as they are, numbers short, switches as yes or no,
// lists joined with commas, pictures as "PNG picture, 512 KB", open bags as compact JSON, nil as "".
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return shortNumber(v)
	case *jsondoc.Value:
		return jsonText(v)
	case *Blob:
		return blobText(v)
	case *Asset:
		if v == nil {
			return ""
		}
		return assetText(v)
	case *Entry:
		if v == nil {
			return ""
		}
		return named(Or(v.Title, ""), v.Content)
	case Greeting:
		return named(Or(v.Title, ""), v.Text)
	case DepthInjection:
		return v.Text
	case Trigger:
		if Or(v.IsRegex, false) {
			return "/" + v.Keyword + "/" + Or(v.Flags, "")
		}
		return v.Keyword
	case Row:
		return named(v.Label, v.Value)
	case Swatch:
		return named(firstOf(v.Label, v.Name), v.Hex)
	case Bias:
		return v.Phrase + " " + shortNumber(v.Weight)
	case Category:
		return v.Name
	case CardRegex:
		return named(Or(v.Label, ""), v.Find+" → "+v.Replace)
	case RegexRule:
		return named(v.Label, v.Find+" → "+v.Replace)
	case Prompt:
		return named(v.Name, v.Content)
	case PromptGroup:
		return v.Name
	case QuickReply:
		return named(v.Label, v.Message)
	}
	return structText(reflect.ValueOf(value))
}

func firstOf(ps ...*string) string {
	for _, p := range ps {
		if Or(p, "") != "" {
			return *p
		}
	}
	return ""
}

func named(name, text string) string {
	switch {
	case name == "":
		return text
	case text == "":
		return name
	}
	return name + ": " + text
}

// structText joins what a list, a map or a thing holds.
func structText(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return Text(v.Elem().Interface())
	case v.Kind() == reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			e := v.Index(i)
			if isMap(v.Type()) {
				parts[i] = named(e.Field(0).String(), Text(e.Field(1).Interface()))
			} else {
				parts[i] = Text(e.Interface())
			}
		}
		return strings.Join(parts, ", ")
	case v.Kind() == reflect.Struct:
		var parts []string
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		Walk(p.Interface(), func(path string, value any) {
			if reflect.TypeOf(value) != p.Type() {
				parts = append(parts, path+": "+Text(value))
			}
		})
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v.Interface())
}

// shortNumber prints whole numbers without a point, others with at most six digits after it.
func shortNumber(f float64) string {
	if f > -1e15 && f < 1e15 {
		s := strconv.FormatFloat(f, 'f', 6, 64)
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		if s == "-0" || s == "0" && f != 0 {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return s
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func jsonText(v *jsondoc.Value) string {
	if v == nil {
		return ""
	}
	if s, ok := v.Text(); ok {
		return s
	}
	return string(v.Raw())
}

func assetText(a *Asset) string {
	what := "picture"
	if a.Blob != nil {
		what = mediaWord(a.Blob.Mime)
	} else if a.Mime != nil {
		what = mediaWord(*a.Mime)
	}
	s := roleWord(a.Role) + " " + what
	if n := firstOf(a.Label, a.Name); n != "" {
		s += " " + quote(n)
	}
	switch {
	case a.Blob != nil:
		s += " (" + blobText(a.Blob) + ")"
	case a.Ref != "":
		s += " (" + clip(a.Ref, 80) + ")"
	}
	return strings.TrimSpace(s)
}

// blobText is "PNG picture, 512 KB".
func blobText(b *Blob) string {
	if b == nil {
		return ""
	}
	kind, sub, _ := strings.Cut(b.Mime, "/")
	sub, _, _ = strings.Cut(sub, ";")
	sub = strings.TrimPrefix(sub, "x-")
	var s string
	switch {
	case sub == "" || sub == "octet-stream":
		s = "file"
	case kind == "image" || kind == "audio" || kind == "video" || kind == "font":
		s = subWord(sub) + " " + mediaWord(b.Mime)
	default:
		s = subWord(sub) + " file"
	}
	if b.Size >= 0 {
		s += ", " + sizeWord(b.Size)
	}
	return s
}

func subWord(sub string) string {
	switch sub {
	case "svg+xml":
		return "SVG"
	case "mpeg":
		return "MPEG"
	case "vnd.microsoft.icon", "icon":
		return "ICO"
	case "webp":
		return "WebP"
	case "webm":
		return "WebM"
	}
	return strings.ToUpper(sub)
}

func mediaWord(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "image", "":
		return "picture"
	case "audio":
		return "sound"
	case "video":
		return "film"
	case "font":
		return "font"
	}
	return "file"
}

// sizeWord is a size for people: bytes below 1 KB, then KB of 1,024 bytes without and MB with one digit.
func sizeWord(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1024:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1024*1024-512:
		return strconv.FormatInt((n+512)/1024, 10) + " KB"
	case n < 1<<30:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64), ".0") + " MB"
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/(1<<30), 'f', 1, 64), ".0") + " GB"
}

func roleWord(role string) string {
	switch role {
	case RolePortrait:
		return "Portrait"
	case RoleEmotion:
		return "Emotion"
	case RoleOutfit:
		return "Outfit"
	case RolePose:
		return "Pose"
	case RoleBackground:
		return "Background"
	}
	return "Other"
}

// quote puts a name into quotation marks, shortened to what fits a line.
func quote(s string) string {
	s = strings.Join(strings.Fields(clip(s, 200)), " ")
	r := []rune(s)
	if len(r) > 40 {
		s = strings.TrimSpace(string(r[:39])) + "…"
	}
	return `"` + s + `"`
}
