// Package laws holds the laws of the project (DESIGN.md, section 4) as tests over every registered format and every
// ordered pair of them, over testdata/samples and, where it is there, the shared corpus. There is no code here but tests:
// a new format is under the laws the moment it is registered.
package laws
