import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAzurite } from '../../support/azurite.ts';
import { givenAzure } from './azure-fixture.ts';
import { testMemory } from './memory-contract.ts';

testMemory(async () => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-azure-'));
  const azurite = await openAzurite();
  const { connectionString, container } = azurite;
  const storage = givenAzure({ connectionString, container, tempPath: join(folder.path, 'temp'), patience: { answerMs: 60_000 } });
  return {
    storage,
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await azurite[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
});
