# Everything that is built, tested and measured. `make` alone lists what there is.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION  := $(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' js/package.json)
LDFLAGS  := -s -w -X main.version=$(VERSION)
GOSOURCE := $(shell find . -name node_modules -prune -o -name '*.go' -print) go.mod go.sum
ENGINE   := js/dist/engine.wasm
WASM     := GOOS=js GOARCH=wasm
WASMTEST := bin/wasmbrowsertest
# Seconds after which a browser that does not answer fails the run.
BROWSER_TIME := 420
FUZZTIME := 20s
PORT     := 8321

.PHONY: help build engine js page cli test test-go test-wasm test-js test-page bench size serve fuzz lint clean deps-js deps-web deps-edge edge edge-test edge-bench

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build: engine js page cli ## engine, npm module, page and command line

engine: $(ENGINE) web/public/engine.wasm ## the WebAssembly engine

$(ENGINE): $(GOSOURCE) js/package.json
	@mkdir -p $(@D)
	$(WASM) go build -trimpath -ldflags='$(LDFLAGS)' -o $@ ./wasm/engine
	go run ./wasm/slim $@

web/public/engine.wasm: $(ENGINE)
	@mkdir -p $(@D)
	cp $< $@

js: deps-js $(ENGINE) js/dist/cli.wasm.br ## the npm package in js/dist
	cd js && npm run -s build

js/dist/cli.wasm.br: $(GOSOURCE) js/package.json js/scripts/pack-cli.mjs
	@mkdir -p $(@D) bin
	$(WASM) go build -trimpath -ldflags='$(LDFLAGS)' -o bin/cli.wasm ./cmd/bunzai
	go run ./wasm/slim bin/cli.wasm
	node js/scripts/pack-cli.mjs bin/cli.wasm $@

deps-js: js/node_modules/.package-lock.json
js/node_modules/.package-lock.json: js/package-lock.json
	cd js && npm ci --ignore-scripts --no-audit --no-fund && touch node_modules/.package-lock.json

deps-web: web/node_modules/.package-lock.json
web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --ignore-scripts --no-audit --no-fund && touch node_modules/.package-lock.json

page: engine js deps-web ## the page in web/dist
	cd web && npm run -s build

deps-edge: edge/worker/node_modules/.package-lock.json
edge/worker/node_modules/.package-lock.json: edge/worker/package-lock.json
	cd edge/worker && npm ci --ignore-scripts --no-audit --no-fund && touch node_modules/.package-lock.json

edge: deps-edge ## the Worker in edge/worker/dist; fails when it is over the platform's size
	cd edge/worker && npm run -s build

edge-test: edge cli ## the endpoint's tests, native and under workerd; no account
	go test ./edge/...
	cd edge/worker && npm test

edge-bench: edge ## what a request costs: a kept instance beside one for each request
	cd edge/worker && npm run -s bench

cli: ## the command line in bin/bunzai
	go build -trimpath -ldflags='$(LDFLAGS)' -o bin/bunzai ./cmd/bunzai

test: test-go test-js test-wasm test-page ## every test

test-go: ## Go tests
	go vet ./...
	go test ./...

$(WASMTEST): go.mod
	go build -o $@ github.com/agnivade/wasmbrowsertest

# Chromium speaks newer words than the runner knows; its 'could not unmarshal event' lines say nothing.
test-wasm: $(WASMTEST) ## the engine's tests in headless Chromium
	$(WASM) go vet ./wasm/...
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { echo "chromium is missing: apt-get install chromium" >&2; exit 1; }
	$(WASM) timeout -k 10 $(BROWSER_TIME) go test -timeout $$(( $(BROWSER_TIME) - 30 ))s -exec $(CURDIR)/$(WASMTEST) ./wasm/... 2> >(grep -v 'could not unmarshal event' >&2)

test-js: js cli ## the npm package's tests: Node, bundlers, Chromium, workerd, Deno
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { echo "chromium is missing: apt-get install chromium" >&2; exit 1; }
	cd js && npm test

test-page: page ## the page's tests in Chromium and Firefox
	cd web && npm test

bench: cli js ## speed, allocations and memory; peers beside them where they are installed
	go test -run '^$$' -bench . -benchmem ./bench
	node bench/run.mjs

size: engine ## bytes of the engine, and what each dependency adds
	@node bench/size.mjs $(ENGINE)

serve: page cli ## the page on http://127.0.0.1:8321/
	bin/bunzai serve --port $(PORT)

fuzz: ## every fuzz target for FUZZTIME
	@for p in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$p 2>/dev/null | grep '^Fuzz' || true); do \
	    echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p; \
	  done; \
	done

lint: deps-js ## formatting, vet, staticcheck, types, arrows
	@out=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$out" || { echo "gofmt: $$out" >&2; exit 1; }
	go vet ./...
	$(WASM) go vet ./wasm/...
	go tool staticcheck ./...
	STATICCHECK=$$(go tool -n staticcheck) && $(WASM) $$STATICCHECK ./wasm/...
	go test ./lint
	cd js && npm run -s glue && npm run -s check
	if test -f web/package.json; then $(MAKE) -s deps-web js && cd web && npm run -s check; fi

clean: ## remove what was built
	rm -rf edge/worker/dist
	rm -rf bin js/dist js/src/wasm_exec.js web/dist web/public/engine.wasm
