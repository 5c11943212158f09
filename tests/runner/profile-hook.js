// Loaded into each process of ava by --profile: notes what CPU time its test file took, with the processes that it started.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const TICKS_PER_SECOND = 100;
const started = performance.now();

process.on('exit', () => {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // the name in parentheses may hold anything; utime, stime, cutime and cstime are the 12th to 15th fields behind it
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const line = {
    file: relative(root, fileURLToPath(test.meta.file)),
    self: user + system,
    children: childUser + childSystem,
    wall: (performance.now() - started) / 1000,
  };
  appendFileSync(process.env.SHEAF_TEST_PROFILE, `${JSON.stringify(line)}\n`);
});
