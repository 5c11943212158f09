import { failuresFirst, Problem, type UploadOptions, UploadQueue } from '@sheaf/web/testing';
import test from 'ava';

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

interface Sending {
  readonly names: readonly string[];
  readonly options: UploadOptions;
  readonly finish: (...outcomes: readonly (string | Problem)[]) => void;
  readonly fail: (problem: Problem) => void;
}

const refusal = (status: number, code: string, more: Partial<Problem> = {}): Problem =>
  new Problem({ status, code, message: 'no', ...more });

/** A queue whose files are sent by the test, and whose pictures are drawn by the test. */
const given = () => {
  const sent: Sending[] = [];
  const frames: (() => void)[] = [];
  const queue = new UploadQueue(
    (files, options) =>
      new Promise((resolve, reject) => {
        sent.push({
          names: files.map(({ name }) => name),
          options,
          finish: (...outcomes) => resolve(outcomes.map((outcome) => (typeof outcome === 'string' ? { id: outcome } : outcome))),
          fail: reject,
        });
        options.signal?.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')));
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

test('few files go each by themselves, a few requests at a time, in their order', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(3));
  t.deepEqual(
    sent.map(({ names }) => names),
    [['0.txt'], ['1.txt'], ['2.txt']],
  );
  queue.add(files(1));
  t.deepEqual(states(), ['sending', 'sending', 'sending', 'waiting']);
  sent[1]?.finish('d1');
  await turn();
  t.deepEqual(states(), ['sending', 'stored', 'sending', 'sending']);
});

test('many files go ten in a request, and each is told for itself', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(40));
  t.deepEqual(
    sent.map(({ names }) => names.length),
    [10, 10, 10],
  );
  sent[0]?.options.onSent?.();
  t.deepEqual(new Set(states().slice(0, 10)), new Set(['storing']));
  const duplicate = refusal(201, 'DUPLICATE_RESOURCE', { details: { document_id: 'd' } });
  sent[0]?.finish('d0', duplicate, refusal(201, 'VALIDATION_ERROR'), ...Array.from({ length: 7 }, (_, index) => `d${index + 3}`));
  await turn();
  t.deepEqual(states().slice(0, 5), ['stored', 'duplicate', 'failed', 'stored', 'stored']);
  t.deepEqual(
    queue
      .view()
      .uploads.slice(0, 4)
      .map(({ documentId }) => documentId),
    ['d0', 'd', undefined, 'd3'],
  );
});

test('a request that is refused as a whole is sent again file by file, and only the one that is refused then has failed', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(4));
  t.deepEqual(
    sent.map(({ names }) => names),
    [['0.txt', '1.txt'], ['2.txt'], ['3.txt']],
  );
  sent[0]?.fail(refusal(400, 'VALIDATION_ERROR'));
  await turn();
  t.deepEqual(sent[3]?.names, ['0.txt']);
  sent[3]?.fail(refusal(400, 'VALIDATION_ERROR'));
  await turn();
  t.deepEqual(sent[4]?.names, ['1.txt']);
  sent[4]?.finish('d1');
  await turn();
  t.deepEqual(states(), ['failed', 'stored', 'sending', 'sending']);
});

test('when the service asks for a pause or cannot be reached, nothing is abandoned and nothing more is sent', async (t) => {
  for (const [problem, pause] of [
    [refusal(429, 'RATE_LIMITED', { retryAfterSeconds: 60 }), 'asked'],
    [refusal(503, 'SERVICE_UNAVAILABLE'), 'asked'],
    [Problem.unreachable(), 'offline'],
    [refusal(401, 'UNAUTHORIZED'), 'signedOut'],
    [refusal(403, 'MFA_SETUP_REQUIRED'), 'signedOut'],
  ] as const) {
    const { queue, sent, files, states } = given();
    queue.add(files(6));
    sent[0]?.fail(problem);
    await turn();
    t.deepEqual(states(), ['waiting', 'waiting', 'sending', 'sending', 'sending', 'sending'], problem.code);
    t.is(queue.view().pause, pause);
    t.is(sent.length, 3);
  }
});

test('a file that cannot be stored at the moment waits, the others of its request are there', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(6));
  sent[0]?.finish('d0', refusal(201, 'SERVICE_UNAVAILABLE'));
  await turn();
  t.deepEqual(states().slice(0, 2), ['stored', 'waiting']);
  t.is(queue.view().pause, 'asked');
});

test('cancelling one file of a request sends the others again; what has gone out whole is not cancelled any more', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(6));
  queue.cancel(2);
  t.deepEqual(states().slice(0, 2), ['waiting', 'cancelled']);
  await turn();
  t.deepEqual(states().slice(0, 2), ['sending', 'cancelled']);
  t.deepEqual(sent[3]?.names, ['0.txt']);
  sent[3]?.options.onSent?.();
  queue.cancel(1);
  sent[3]?.finish('d0');
  await turn();
  t.deepEqual(states().slice(0, 2), ['stored', 'cancelled']);
});

test('progress is told once a picture, a state at once', async (t) => {
  const { queue, sent, frames, files, told } = given();
  queue.add(files(6));
  const before = told();
  const seen = queue.view();
  for (let share = 0; share < 1; share += 0.01) for (const { options } of sent) options.onProgress?.(share);
  t.is(told(), before);
  t.is(queue.view(), seen, 'what is shown does not change unheard');
  t.is(frames.length, 1);
  frames[0]?.();
  t.is(told(), before + 1);
  t.deepEqual(
    queue
      .view()
      .uploads.slice(0, 2)
      .map(({ share }) => Math.round(share * 10)),
    [10, 10],
  );
  const beforeSent = told();
  sent[0]?.options.onSent?.();
  t.is(told(), beforeSent + 1, 'once for all files of the request');
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
  sent[0]?.fail(refusal(400, 'VALIDATION_ERROR'));
  await turn();
  queue.clearSettled();
  t.deepEqual(states(), ['sending']);
});

test('what failed stands above the rest, each in the order in which it was chosen', async (t) => {
  const { queue, sent, files } = given();
  queue.add(files(3));
  sent[2]?.fail(refusal(400, 'VALIDATION_ERROR'));
  sent[1]?.fail(refusal(400, 'VALIDATION_ERROR'));
  await turn();
  t.deepEqual(
    failuresFirst(queue.view().uploads).map(({ file }) => file.name),
    ['1.txt', '2.txt', '0.txt'],
  );
});

test('a file whose document is in the trash is neither a failure nor sent again, and is told when it is restored', async (t) => {
  const { queue, sent, files, states } = given();
  queue.add(files(1));
  sent[0]?.finish(refusal(409, 'DOCUMENT_IN_TRASH', { details: { document_id: 'd1' } }));
  await turn();
  t.deepEqual(states(), ['trashed']);
  t.is(queue.view().uploads[0]?.documentId, 'd1');
  queue.restored(queue.view().uploads[0]?.id ?? 0);
  t.deepEqual(states(), ['restored']);
  t.is(sent.length, 1);
});
