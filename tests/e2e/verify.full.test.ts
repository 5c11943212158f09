import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT, makeServiceFolder, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { Client } from 'pg';
import { verifyLines } from '../support/verify-lines.ts';

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');

const runVerify = (folder: string, ...args: string[]) => {
  const env = {
    PATH: '/usr/bin:/bin',
    ...CODE_CACHE_ENVIRONMENT,
    DATA_PATH: join(folder, 'data'),
    UPLOAD_PATH: join(folder, 'uploads'),
    EMBEDDED_POSTGRES_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  return spawnSync(SHEAF, ['verify', ...args], { encoding: 'utf8', timeout: 120_000, env });
};

const verify = (folder: string, ...args: string[]) => {
  const { status, stdout } = runVerify(folder, ...args);
  return { status, lines: verifyLines(stdout) };
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
  t.deepEqual(verify(folder.path), { status: 1, lines: [line, 'not verified: 1 difference, 0 repaired'] });
  t.deepEqual(verify(folder.path, '--repair'), { status: 0, lines: [`${line} [repaired]`, 'verified: 1 difference, 1 repaired'] });
  t.deepEqual(await admin.find('heliotropes'), [id]);

  await service.stop();
  t.deepEqual(verify(folder.path), { status: 0, lines: ['verified: no differences'] });
  t.regex(runVerify(folder.path).stdout, /^verified: no differences; \d+ documents, \d+ files, [\d.]+ (bytes|kB|MB), [\d.]+ s\n$/);
});
