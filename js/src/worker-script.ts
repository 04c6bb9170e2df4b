// The script of a pool's Web Worker.
import { serve } from './serve.js';

interface Scope {
  onmessage: ((e: { data: Parameters<typeof serve>[0] }) => void) | null;
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}
const scope = globalThis as unknown as Scope;

scope.onmessage = (e) => {
  void serve(e.data, () => { throw new Error('file numbers are for Node'); }, (m, t) => scope.postMessage(m, t));
};
