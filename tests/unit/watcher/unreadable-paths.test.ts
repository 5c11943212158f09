import { UnreadablePaths } from '@sheaf/watcher/testing';
import test from 'ava';
import { makeNotedLines } from '../../fixtures/watcher/noted-lines.ts';

const round = (paths: UnreadablePaths, names: readonly string[]): void => {
  paths.beginRound();
  for (const name of names) paths.add(name, new Error('no'));
  paths.endRound();
};

test('what cannot be read is told once for as long as it lasts, and again when it was readable in between', (t) => {
  const { log, lines } = makeNotedLines();
  const paths = new UnreadablePaths(log);
  for (const names of [['a'], ['a'], ['a', 'b', 'b'], [], ['a']]) round(paths, names);
  t.is(lines.length, 3);
  t.is(paths.health().status, 'warning');
  round(paths, []);
  t.is(paths.health().status, 'healthy');
});

test('a flood of them makes few lines, and none at the next scans', (t) => {
  const { log, lines, timesOf } = makeNotedLines();
  const paths = new UnreadablePaths(log);
  const names = Array.from({ length: 100_000 }, (_, i) => `folder ${i}`);
  round(paths, names);
  t.is(lines.length, 21);
  t.is(timesOf('more unreadable paths'), 1);
  round(paths, names);
  round(paths, names.toReversed());
  t.is(lines.length, 21);
});
