// Loaded by ava into each of its processes before the tests: `import test from 'ava'` stands for the file that is being loaded, so that
// one process can run several files.
import { offerChain, offeredChain } from './ava-internals.js';

let current = offeredChain();

offerChain(
  new Proxy(current, {
    get: (_target, name) => current[name],
    apply: (_target, self, values) => Reflect.apply(current, self, values),
  }),
);

/** From now on tests and hooks are declared on `chain`. */
export const declareOn = (chain) => {
  current = chain;
};
