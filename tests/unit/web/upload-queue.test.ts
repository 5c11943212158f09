import test from 'ava';
import { Problem } from '../../../apps/web/src/interface/problem.ts';
import type { UploadOptions } from '../../../apps/web/src/interface/upload.ts';
import { UploadQueue } from '../../../apps/web/src/uploads/upload-queue.ts';

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

interface Sending {
  readonly name: string;
  readonly options: UploadOptions;
  readonly finish: (id: string) => void;
  readonly fail: (problem: Problem) => void;
}

/** A queue whose files are sent by the test, and whose pictures are drawn by the test. */
const given = () => {
  const sent: Sending[] = [];
  const frames: (() => void)[] = [];
  const queue = new UploadQueue(
    ({ name }, options) =>
      new Promise((resolve, reject) => {
        sent.push({ name, options, finish: (id) => resolve({ id }), fail: reject });
      }),
    (work) => frames.push(work),
  );
  let told = 0;
  queue.subscribe(() => {
    told += 1;
  });
  const files = (count: number): File[] => Array.from({ length: count }, (_, index) => new File(['x'], `${index}.txt`));
  return { queue, sent, frames, files, states: () => queue.view().uploads.map(({ state }) => state), told: () => told };
};

test('a few files are sent at a time, in their order', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(5));
  t.deepEqual(
    sent.map(({ name }) => name),
    ['0.txt', '1.txt', '2.txt'],
  );
  t.deepEqual(states(), ['sending', 'sending', 'sending', 'waiting', 'waiting']);
  sent[1]?.finish('d1');
  await turn();
  t.deepEqual(states(), ['sending', 'stored', 'sending', 'sending', 'waiting']);
});

test('progress is told once a picture, a state at once', async (t) => {
  const { queue, sent, frames, files, told } = given();
  queue.add(files(3));
  const before = told();
  const seen = queue.view();
  for (let share = 0; share < 1; share += 0.01) for (const { options } of sent) options.onProgress?.(share);
  t.is(told(), before);
  t.is(queue.view(), seen, 'what is shown does not change unheard');
  t.is(frames.length, 1);
  frames[0]?.();
  t.is(told(), before + 1);
  t.true((queue.view().uploads[0]?.share ?? 0) > 0.9);
  sent[0]?.finish('d0');
  await turn();
  t.is(queue.view().uploads[0]?.state, 'stored');
});

test('lines that did not change are the same', async (t) => {
  const { queue, sent, files } = given();
  queue.add(files(3));
  const [, second] = queue.view().uploads;
  sent[0]?.finish('d0');
  await turn();
  t.is(queue.view().uploads[1], second);
});

test('news of a document that come before the answer to its upload are not lost', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(1));
  queue.follow('d0', 'completed', 100);
  sent[0]?.finish('d0');
  await turn();
  t.deepEqual(states(), ['read']);
});

test('what waits to be read is known, so that it can be asked for after a break', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(2));
  sent[0]?.finish('d0');
  sent[1]?.finish('d1');
  await turn();
  queue.follow('d0', 'completed', 100);
  t.deepEqual(queue.unreadDocuments(), ['d1']);
  queue.follow('d1', 'failed', 0);
  t.deepEqual(states(), ['read', 'notRead']);
  t.deepEqual(queue.unreadDocuments(), []);
});

test('what is settled can be cleared, what is on its way stays', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(2));
  sent[0]?.fail(new Problem({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', message: 'no' }));
  await turn();
  queue.clearSettled();
  t.deepEqual(states(), ['sending']);
});
