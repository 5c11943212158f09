import { parseScale, toInstances } from '@sheaf/supervisor/testing';
import test from 'ava';

const KNOWN = ['api', 'ocr-worker', 'sync'];

test('a scale names processes and counts, in one flag or in several', (t) => {
  t.deepEqual(parseScale(['ocr-worker=2'], KNOWN), { 'ocr-worker': 2 });
  t.deepEqual(parseScale(['ocr-worker=2,sync=0', 'api=1'], KNOWN), { 'ocr-worker': 2, sync: 0, api: 1 });
  t.deepEqual(parseScale([], KNOWN), {});
});

for (const [text, message] of [
  ['ocr-worker', /requires name=count/],
  ['ocr-worker=two', /requires name=count/],
  ['ocr-worker=-1', /requires name=count/],
  ['ocr=2', /unknown process "ocr"; the Procfile has api, ocr-worker, sync/],
  ['ocr-worker=65', /maximum of 64/],
] as const) {
  test(`the scale "${text}" is refused in words`, (t) => {
    t.throws(() => parseScale([text], KNOWN), { message });
  });
}

test('instances come in the order of the Procfile, numbered from 0, and 0 leaves a process out', (t) => {
  const entries = [
    { name: 'api', command: ['node', 'api.ts'] },
    { name: 'ocr-worker', command: ['node', 'ocr.ts'] },
    { name: 'sync', command: ['node', 'sync.ts'] },
  ] as const;
  t.deepEqual(
    toInstances(entries, { 'ocr-worker': 2, sync: 0 }).map(({ name, number }) => [name, number]),
    [
      ['api', 0],
      ['ocr-worker', 0],
      ['ocr-worker.1', 1],
    ],
  );
});
