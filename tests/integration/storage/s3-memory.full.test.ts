import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openS3Server } from '../../support/s3-server.ts';
import { testMemory } from './memory-contract.ts';
import { givenS3 } from './s3-fixture.ts';

testMemory(async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-s3-'));
  const server = await openS3Server();
  const storage = givenS3({ endpointUrl: server.url, tempPath: join(folder.path, 'temp') });
  return {
    storage,
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await server[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
});
