// Runs several test files in one process, one after the other. Most of what a small file costs is loading the modules that it tests and
// running them for the first time, both of which the next file of the group is spared. Each file has a runner of ava's own, so hooks,
// serial tests, contexts and failures are what they are in a process of its own.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { noteCost } from '../profile.ts';
import { titlePrefixOf } from '../titles.ts';
import { Runner, report } from './ava-internals.js';
import { declareOn } from './current-chain.js';

const ROOT = join(import.meta.dirname, '../../..');

const runFile = async (file) => {
  const path = join(ROOT, file);
  const runner = new Runner({ file: path, projectDir: ROOT });
  const prefix = titlePrefixOf(file);
  runner.waitForReady = []; // what it is by default belongs to the file of the group
  runner.on('stateChange', ({ data }) => report(data.title === undefined ? data : { ...data, title: `${prefix}${data.title}` }));
  const ended = Promise.race([
    runner.once('finish'),
    runner.once('error').then(({ data }) => {
      throw data;
    }),
  ]);
  declareOn(runner.chain);
  await import(pathToFileURL(path).href);
  if (runner.nextTaskIndex === 0) throw new Error(`${file} declares no tests`);
  await ended;
};

/** Declares the one test of a group: that its `files` (paths from the root) ran to their end, whatever their own tests said. */
export const runGroup = (files) => {
  test('all files ran', async (t) => {
    const broken = [];
    for (const file of files) {
      const cost = noteCost(file);
      try {
        await runFile(file);
      } catch (error) {
        t.log(error);
        broken.push(file);
      }
      cost.end();
    }
    t.deepEqual(broken, []);
  });
};
