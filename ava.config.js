import { relative } from 'node:path';
import process from 'node:process';

/** Where tests/run.ts wants each file, the longest first. */
const order = new Map(JSON.parse(process.env.SHEAF_TEST_ORDER ?? '[]').map((file, index) => [file, index]));
const placeOf = (path) => order.get(relative(import.meta.dirname, path)) ?? order.size;

export default {
  files: ['.setup/test-groups/**/*.test.ts'],
  extensions: ['ts'],
  workerThreads: false,
  timeout: '8m',
  sortTestFiles: (a, b) => placeOf(a) - placeOf(b),
  require: ['./tests/runner/groups/current-chain.js'],
};
