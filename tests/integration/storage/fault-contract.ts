import { createHash, randomBytes } from 'node:crypto';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { documentKey, previewKey, type Storage } from '@sheaf/storage';
import type { Patience } from '@sheaf/storage/testing';
import { isFullRun } from '@sheaf/testkit';
import type { ErrorReason } from '@sheaf/vocabulary/error-codes';
import type { ExecutionContext, TestFn } from 'ava';
import { collect } from '../../support/collect.ts';
import { type Fault, type FaultProxy, faults } from '../../support/fault-proxy.ts';
import { fullOnly } from '../../support/full-run.ts';
import { throwsUnavailable } from '../../support/throws-unavailable.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A storage whose service answers through a proxy that can spoil what it says. */
export interface FaultScene {
  readonly proxy: FaultProxy;
  readonly folder: string;
  readonly storage: Storage;
  /** Another one over the same objects. */
  readonly openWith: (patience: Partial<Patience>) => Storage;
}

export interface GivenBytes {
  readonly bytes: Buffer;
  readonly key: string;
}

/** Bytes that nobody has stored yet. */
export const someBytes = (size = 10_000): GivenBytes => {
  const bytes = randomBytes(size);
  return { bytes, key: documentKey(createHash('sha256').update(bytes).digest('hex')) };
};

/** Sent in pieces. */
export const LARGE = 20 * 1024 * 1024;

/** What is sent at once; and in the full run also what is sent in pieces, which takes long. */
export const orLarge = (size: number): readonly number[] => (isFullRun ? [size, LARGE] : [size]);

export const isMethod =
  (...methods: string[]) =>
  ({ method }: IncomingMessage): boolean =>
    methods.includes(method ?? '');

const loseAnswer: Fault = async ({ request, forward }) => {
  await (await forward()).toArray();
  request.socket.destroy();
};

/**
 * What every storage in the network makes of a bad line to it. `givenObject` stores an object past the proxy. Called once by the
 * test file of each.
 */
export const testBadLine = <S extends FaultScene>(test: TestFn<S>, givenObject: (scene: S, size?: number) => Promise<GivenBytes>): void => {
  test('a download that is cut in the middle ends with an error', async (t) => {
    const { proxy, storage } = t.context;
    const { key } = await givenObject(t.context);
    for (const fault of [faults.cutBody(4_000), faults.shorten(4_000)]) {
      proxy.heal();
      proxy.inject({ fault });
      const { stream } = await storage.open(key);
      await t.throwsAsync(buffer(stream), { instanceOf: Error, name: 'AppError' });
    }
  });

  test('a download whose body never comes is abandoned, and one that is slow is not', async (t) => {
    const { proxy, openWith } = t.context;
    const { bytes, key } = await givenObject(t.context);
    proxy.inject({ fault: faults.trickle(125, 50) }); // 4 s in all
    t.true(bytes.equals(await buffer((await openWith({ idleMs: 3_000 }).open(key)).stream)));
    proxy.inject({ fault: faults.stall() });
    const { stream } = await openWith({ idleMs: 100 }).open(key);
    await throwsUnavailable(t, buffer(stream), 'storage_transfer_stalled');
  });

  test('wrong bytes are found at the end of a whole read, before the last of them are given out', async (t) => {
    const { proxy, storage } = t.context;
    const { bytes, key } = await givenObject(t.context, 300_000);
    proxy.inject({ fault: faults.spoil(100) });
    const { stream } = await storage.open(key);
    let seen = 0;
    stream.on('data', (chunk: Buffer) => (seen += chunk.length));
    await t.throwsAsync(buffer(stream), { code: 'FILE_DAMAGED' });
    t.true(seen < bytes.length);
  });

  test('a local path is fetched twice before it is abandoned, and is there whole or not at all', async (t) => {
    const { proxy, storage, folder } = t.context;
    const { bytes, key } = await givenObject(t.context);
    const scratch = await mkdtempDisposable(join(folder, 'scratch-'));
    for (const [fault, code] of [
      [faults.spoil(5), 'FILE_DAMAGED'],
      [faults.cutBody(5_000), 'SERVICE_UNAVAILABLE'],
    ] as const) {
      proxy.inject({ fault });
      await t.throwsAsync(storage.localPath(key, scratch.path), { code });
      t.deepEqual(await readdir(scratch.path), []);
      proxy.heal();
    }
    proxy.inject({ fault: faults.spoil(5), times: 1 });
    t.true(bytes.equals(await readFile(await storage.localPath(key, scratch.path))));
  });

  test('an upload that is cut on its way is repeated', async (t) => {
    const { proxy, storage } = t.context;
    for (const size of orLarge(500_000)) {
      const { bytes, key } = someBytes(size);
      proxy.inject({ fault: faults.cutRequest(100_000), when: isMethod('PUT'), times: 1 });
      t.true((await storage.put(key, bytes)).isNew);
      t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
    }
  });

  fullOnly(test)('large puts of the same bytes at once leave one whole object', async (t) => {
    const { storage } = t.context;
    const { bytes, key } = someBytes(LARGE);
    await Promise.all([1, 2, 3].map(() => storage.put(key, bytes)));
    t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
  });

  test('a put whose answer was lost finds its own object', async (t) => {
    const { proxy, storage } = t.context;
    const { bytes, key } = someBytes();
    proxy.inject({ fault: loseAnswer, when: isMethod('PUT'), times: 1 });
    await storage.put(key, bytes);
    t.true(bytes.equals(await buffer((await storage.open(key)).stream)));
  });

  test('bytes that are not those of their key are not stored', async (t) => {
    const { storage } = t.context;
    for (const size of orLarge(10)) {
      const { key } = someBytes();
      await t.throwsAsync(storage.put(key, randomBytes(size)), { message: /hash mismatch/ });
      t.is(await storage.stat(key), undefined);
    }
    const derived = previewKey('ab'.repeat(32)); // whose hash is that of another file
    await t.notThrowsAsync(storage.put(derived, randomBytes(10)));
  });

  test('who stops reading early gives the connection back', async (t) => {
    const { proxy, storage } = t.context;
    const { key } = await givenObject(t.context, 8 * 1024 * 1024); // more than lies in buffers on the way
    for (let round = 0; round < 3; round += 1) {
      const { stream } = await storage.open(key);
      for await (const _chunk of stream) break;
    }
    await t.notThrowsAsync(waitFor(() => proxy.connections() === 0, { description: 'the connections to be given back', limitMs: 5_000 }));
  });
};

/** What the storage is asked for, one of each kind. */
export const everyUse = (storage: Storage, folder: string): Record<string, () => Promise<unknown>> => {
  const { bytes, key } = someBytes();
  return {
    put: () => storage.put(key, bytes),
    replace: () => storage.replace(key, bytes),
    open: async () => buffer((await storage.open(key)).stream),
    localPath: () => storage.localPath(key, folder),
    stat: () => storage.stat(key),
    delete: () => storage.delete(key),
    list: () => collect(storage.list('documents/')),
    sweepLeftovers: () => storage.sweepLeftovers(new Date()),
  };
};

/** Asserts that every use ends with SERVICE_UNAVAILABLE for a reason, with these details, and contains nothing that is secret. */
export const failingAll =
  (secrets: RegExp) =>
  async (
    t: ExecutionContext<FaultScene>,
    storage: Storage,
    reason: ErrorReason,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<void> => {
    for (const [name, use] of Object.entries(everyUse(storage, t.context.folder))) {
      const error = await throwsUnavailable(t, use, reason, details, name);
      t.notRegex(inspect(error, { depth: 9, showHidden: true }), secrets, name);
      t.false('request' in Object(error?.cause), name); // that of Azure has the signature in its headers
    }
    t.like(await storage.check(), { status: 'unhealthy', problems: [{ code: reason, details: { storage: storage.place, ...details } }] });
  };
