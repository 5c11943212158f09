import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT, makeServiceFolder, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { Client } from 'pg';

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');

const verify = (folder: string, ...args: string[]) => {
  const env = {
    PATH: '/usr/bin:/bin',
    ...CODE_CACHE_ENVIRONMENT,
    DATA_PATH: join(folder, 'data'),
    UPLOAD_PATH: join(folder, 'uploads'),
    EMBEDDED_POSTGRES_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const { status, stdout } = spawnSync(SHEAF, ['verify', ...args], { encoding: 'utf8', timeout: 120_000, env });
  return { status, lines: stdout.trim().split('\n') };
};

/** Does what nobody should, in the embedded database of a running service. */
const damage = async (folder: string, statement: string): Promise<void> => {
  const client = new Client({ connectionString: (await readFile(join(folder, 'data/database-url'), 'utf8')).trim() });
  await client.connect();
  await client.query(statement);
  await client.end();
};

test('a lost entry is found and mended while the service runs, and the whole is verified while it stands', async (t) => {
  await using folder = await makeServiceFolder();
  await using service = new RunningService({ folder: folder.path });
  const admin = await (await service.ready()).register('ada');
  const { body } = await admin.upload({ name: 'letter.txt', bytes: new TextEncoder().encode('a letter about heliotropes') });
  const id = String(body['id']);
  await admin.waitForEnd(id);
  t.deepEqual(await admin.find('heliotropes'), [id]);

  await damage(folder.path, 'delete from document_search');
  t.deepEqual(await admin.find('heliotropes'), []);
  const line = `search-index: document ${id}: has no search entry`;
  t.deepEqual(verify(folder.path), { status: 1, lines: [line, 'verified: 1 difference, 0 repaired'] });
  t.deepEqual(verify(folder.path, '--repair'), { status: 0, lines: [`${line} [repaired]`, 'verified: 1 difference, 1 repaired'] });
  t.deepEqual(await admin.find('heliotropes'), [id]);

  await service.stop();
  t.deepEqual(verify(folder.path), { status: 0, lines: ['verified: no differences'] });
});
