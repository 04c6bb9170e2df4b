// The engine as one of the peers of a card-library benchmark: an object of operations, each from bytes to a result.
// toJsonV3 and toJsonV2 return text, toPng and toCharx bytes, parse what the file holds. Each writes for the app that the
// card is of, as a library does that knows no apps: for another app a card would be translated.
import { convert, detect, init, inspect } from '../js/dist/node.js';

const text = new TextDecoder();
const app = async (bytes) => (await detect(bytes)).format?.app ?? 'sillytavern';
const to = (container, spec) => async (bytes) => (await convert(bytes, { to: await app(bytes), container, ...(spec && { spec }), allowLoss: true })).data;
const json = (spec) => {
  const run = to('json', spec);
  return async (bytes) => text.decode(await run(bytes));
};

export default async function operations() {
  await init();
  return { parse: (bytes) => inspect(bytes), toJsonV3: json('v3'), toJsonV2: json('v2'), toPng: to('png'), toCharx: to('charx') };
}
