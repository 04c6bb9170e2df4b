package canonical

//go:generate go run ./schema/gen

// SchemaID is the $id of the JSON Schema of the canonical file, schema/bunzai.schema.json. The schema is made from the
// types of this package by schema/gen and is not part of any build.
const SchemaID = "urn:bunzai:schema:1"
