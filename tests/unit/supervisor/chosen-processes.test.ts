import { chooseProcesses, isFurtherHost } from '@sheaf/supervisor/testing';
import test from 'ava';

const ENTRIES = ['api', 'ocr-worker', 'watcher', 'sync'].map((name) => ({ name, command: ['node'] as [string] }));
const namesOf = (texts: readonly string[]): readonly string[] => chooseProcesses(ENTRIES, texts).map(({ name }) => name);

test('all processes run where none is named, else those that are, in the order of the Procfile', (t) => {
  t.deepEqual(namesOf([]), ['api', 'ocr-worker', 'watcher', 'sync']);
  t.deepEqual(namesOf(['sync,ocr-worker']), ['ocr-worker', 'sync']);
  t.deepEqual(namesOf(['sync', ' watcher']), ['watcher', 'sync']);
});

test('a process that is not in the Procfile is refused with those that are', (t) => {
  t.throws(() => namesOf(['ocr']), { message: '--only: unknown process "ocr"; the Procfile has api, ocr-worker, watcher, sync' });
});

test('a host without the api joins a service that runs elsewhere', (t) => {
  for (const [texts, joins] of [
    [[], false],
    [['api'], false],
    [['api,ocr-worker'], false],
    [['ocr-worker'], true],
  ] as const)
    t.is(isFurtherHost(texts, chooseProcesses(ENTRIES, texts)), joins, texts.join(' '));
});
