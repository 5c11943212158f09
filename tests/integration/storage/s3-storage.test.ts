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

/** A folder of its own each time. */
let folders = 0;

testDriver(async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-s3-'));
  const prefix = `archive/sheaf-${(folders += 1)}/`;
  const storage = givenS3({ endpointUrl: server.url, prefix, tempPath: join(folder.path, 'temp') });
  return {
    storage,
    damage: async (key, bytes) => {
      const stored = await fetch(`${server.url}/documents/${prefix}${key}`);
      await server.put(`${prefix}${key}`, Buffer.from(await stored.arrayBuffer()).subarray(0, bytes));
    },
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await folder.remove();
    },
  };
});
