import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { serviceUnavailable } from '@sheaf/contract';
import { type ExpectedBody, verifiedStream } from '@sheaf/storage/testing';
import test from 'ava';
import { throwsUnavailable } from '../../support/throws-unavailable.ts';
import { waitFor } from '../../support/wait-for.ts';

const BYTES = randomBytes(300_000);

const expected = (given: Partial<ExpectedBody> = {}): ExpectedBody => ({
  key: 'documents/x',
  place: 's3://papers',
  sizeBytes: BYTES.length,
  sha256: undefined,
  idleMs: 10_000,
  toError: () => serviceUnavailable('The storage broke off'),
  ...given,
});

const inParts = (bytes: Buffer, partBytes = 50_000): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, at) => bytes.subarray(at * partBytes, (at + 1) * partBytes)),
  );

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('a right body comes as it is, also an empty one', async (t) => {
  t.true(BYTES.equals(await buffer(verifiedStream(inParts(BYTES), expected({ sha256: sha256Of(BYTES) })))));
  const empty = { sizeBytes: 0, sha256: sha256Of(Buffer.alloc(0)) };
  t.is((await buffer(verifiedStream(Readable.from([]), expected(empty)))).length, 0);
  t.is((await buffer(verifiedStream(Readable.from([Buffer.alloc(0)]), expected(empty)))).length, 0);
});

test('a body that is too short or too long ends with an error', async (t) => {
  for (const body of [BYTES.subarray(1), Buffer.concat([BYTES, Buffer.alloc(1)])])
    await throwsUnavailable(t, buffer(verifiedStream(inParts(body), expected())), 'storage_transfer_incomplete', {
      expected_bytes: 300_000,
    });
  await t.throwsAsync(buffer(verifiedStream(Readable.from([]), expected())), { code: 'SERVICE_UNAVAILABLE' });
});

test('of a body with another hash the last part is kept back', async (t) => {
  const stream = verifiedStream(inParts(BYTES), expected({ sha256: sha256Of(BYTES.subarray(1)) }));
  let seen = 0;
  stream.on('data', (chunk: Buffer) => (seen += chunk.length));
  await t.throwsAsync(buffer(stream), { code: 'FILE_DAMAGED' });
  t.true(seen < BYTES.length);
  const empty = verifiedStream(Readable.from([]), expected({ sizeBytes: 0, sha256: sha256Of(BYTES) }));
  await t.throwsAsync(buffer(empty), { code: 'FILE_DAMAGED' });
});

test('an error of the source is told in the words of the storage', async (t) => {
  const source = new PassThrough();
  const stream = verifiedStream(source, expected());
  source.write(BYTES.subarray(0, 10));
  source.destroy(new Error('ECONNRESET'));
  await t.throwsAsync(buffer(stream), { message: 'The storage broke off' });
});

test('a source that closes without a word is an error', async (t) => {
  const source = new PassThrough();
  const stream = verifiedStream(source, expected());
  source.destroy();
  await t.throwsAsync(buffer(stream), { instanceOf: Error });
});

test('a silent source is abandoned, and a reader who takes their time is not', async (t) => {
  const silent = new PassThrough();
  silent.write(BYTES.subarray(0, 10));
  await throwsUnavailable(t, buffer(verifiedStream(silent, expected({ idleMs: 50 }))), 'storage_transfer_stalled');
  t.true(silent.destroyed);

  const stream = verifiedStream(inParts(BYTES), expected({ idleMs: 200 }));
  let seen = 0;
  let isWaiting = true;
  const since = performance.now();
  for await (const chunk of stream) {
    seen += (chunk as Buffer).length;
    if (isWaiting) await waitFor(() => performance.now() > since + 600, { description: 'a reader who pauses', limitMs: 10_000 });
    isWaiting = false;
  }
  t.is(seen, BYTES.length);
});

test('who stops reading ends the source', async (t) => {
  const source = new PassThrough();
  source.write(BYTES);
  for await (const _chunk of verifiedStream(source, expected({ sizeBytes: 10 * BYTES.length }))) break;
  await waitFor(() => source.destroyed, { description: 'the source to be ended', limitMs: 5_000 });
  t.pass();
});
