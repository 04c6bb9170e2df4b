declare module '*.wasm' {
  const wasm: import('./module.js').CompiledModule;
  export default wasm;
}
