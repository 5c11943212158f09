import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type Azurite, openAzurite } from '../../support/azurite.ts';
import { givenAzure } from './azure-fixture.ts';
import { testDriver } from './driver-contract.ts';

let azurite: Azurite;
test.before(async () => {
  azurite = await openAzurite();
});
test.after.always(() => azurite[Symbol.asyncDispose]());

testDriver(async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-azure-'));
  const client = await azurite.makeContainer();
  const storage = givenAzure({
    tempPath: join(folder.path, 'temp'),
    container: client.containerName,
    connectionString: azurite.connectionString,
  });
  return {
    storage,
    damage: async (key, bytes) => {
      const blob = client.getBlockBlobClient(key);
      const kept = await blob.downloadToBuffer(0, bytes);
      await blob.upload(kept, kept.length);
    },
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await folder.remove();
    },
  };
});
