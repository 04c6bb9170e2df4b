// Package lint holds tests of the house itself: which folder may import which. Nothing imports it.
package lint
