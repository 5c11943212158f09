import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openS3Server, type S3Server } from '../../support/s3-server.ts';
import { testDriver } from './driver-contract.ts';
import { givenS3 } from './s3-fixture.ts';

let server: S3Server;
test.before(async () => {
  server = await openS3Server();
});
test.after.always(() => server[Symbol.asyncDispose]());

/** A bucket of its own each time. */
let buckets = 0;

testDriver(async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-s3-'));
  const bucket = `bucket-${(buckets += 1)}`;
  await fetch(`${server.url}/${bucket}`, { method: 'PUT' });
  const storage = givenS3({ endpointUrl: server.url, bucket, tempPath: join(folder.path, 'temp') });
  return {
    storage,
    damage: async (key, bytes) => {
      const url = `${server.url}/${bucket}/${key}`;
      const stored = await (await fetch(url)).arrayBuffer();
      await fetch(url, { method: 'PUT', body: Buffer.from(stored).subarray(0, bytes) });
    },
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await folder.remove();
    },
  };
});
