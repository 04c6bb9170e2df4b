module bunzai

go 1.26

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
)
