// What ava has for its own processes and does not offer to others: the only place that knows where it lies. The version of ava is pinned;
// tests/unit/runner/groups.test.ts fails where another version has it elsewhere.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const lib = join(dirname(fileURLToPath(import.meta.resolve('ava'))), '../lib');
const load = (path) => import(pathToFileURL(join(lib, path)).href);

const [runner, channel, state] = await Promise.all([load('runner.js'), load('worker/channel.js'), load('worker/state.js')]);

/** Runs the tests of one file. */
export const Runner = runner.default;

/** Tells the process that prints the report of an event. */
export const report = channel.send;

/** Makes `chain` what `import test from 'ava'` gives; to be called before anything imports ava. */
export const offerChain = (chain) => {
  state.refs.runnerChain = chain;
};

/** What `import test from 'ava'` gives now. */
export const offeredChain = () => state.refs.runnerChain;
