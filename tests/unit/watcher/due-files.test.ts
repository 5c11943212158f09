import { ledgerReason } from '@sheaf/contract/imports';
import { type DueFile, DueFiles, type OpenWatchRoot } from '@sheaf/watcher/testing';
import test from 'ava';

const NOBODY = ledgerReason('no_owner_yet');

const due = (path: string, dueMs = 0): DueFile => {
  const ledgerPrefix = `${path.split('/')[0]}/`;
  const root: OpenWatchRoot = { path: '/x', realPath: '/x', identity: '1:1', ledgerPrefix, owner: { missing: NOBODY } };
  const facts = { sizeBytes: 1, modifiedMs: 1, changedMs: 1, inode: 1 };
  return { file: { path, ledgerPath: path, name: path, fsPath: path, sort: 'file', facts }, root, dueMs };
};

const taken = (files: DueFiles, count = Number.POSITIVE_INFINITY): string[] => {
  const paths: string[] = [];
  for (const { file } of files.take(() => paths.length < count)) paths.push(file.ledgerPath);
  return paths;
};

test('what is due is taken out once, in its order, and what is not stays', (t) => {
  const files = new DueFiles();
  t.is(files.nextMs, undefined);
  const later = performance.now() + 60_000;
  for (const each of [due('anna/a'), due('anna/b', later), due('anna/c'), due('anna/a')]) files.add(each);
  t.is(files.nextMs, 0);
  t.deepEqual(taken(files), ['anna/a', 'anna/c']);
  t.deepEqual(taken(files), []);
  t.is(files.nextMs, later);
});

test('nobody waits for all that somebody else has put into their folder', (t) => {
  const files = new DueFiles();
  for (let i = 0; i < 1_000; i += 1) files.add(due(`mallory/${i}`));
  for (const path of ['anna/a', 'bert/a', 'anna/b']) files.add(due(path));
  t.deepEqual(taken(files, 6), ['mallory/0', 'anna/a', 'bert/a', 'mallory/1', 'anna/b', 'mallory/2']);
});

test('of one folder only so many wait in memory, and those of others are not kept out by them', (t) => {
  const files = new DueFiles(2);
  for (const path of ['mallory/1', 'mallory/2', 'mallory/3', 'anna/a', 'mallory/2']) files.add(due(path));
  t.deepEqual(taken(files), ['mallory/1', 'anna/a', 'mallory/2']);
});
