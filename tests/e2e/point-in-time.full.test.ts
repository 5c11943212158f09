// The database comes back from pgBackRest as it was at a moment, and the documents from the versions that the storage keeps.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiClient, CODE_CACHE_ENVIRONMENT, makePdf, makeServiceFolder, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { startArchivedPostgres, whyNoArchivedPostgres } from '../support/archived-postgres.ts';
import { testWhere } from '../support/conditional-test.ts';
import { verifyLines } from '../support/verify-lines.ts';
import { waitFor } from '../support/wait-for.ts';

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');

const run = promisify(execFile);
const reason = whyNoArchivedPostgres();

const verify = (folder: string, url: string): Promise<{ status: number; lines: string[] }> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...CODE_CACHE_ENVIRONMENT,
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      DATABASE_URL: url,
      LOG_LEVEL: 'warn',
    };
    execFile(SHEAF, ['verify'], { env, timeout: 180_000 }, (error, stdout) =>
      resolve({ status: Number(error?.code ?? 0), lines: verifyLines(stdout) }),
    );
  });

const add = async (admin: ApiClient, name: string, text: string): Promise<string> => {
  const { body } = await admin.upload({ name, bytes: new Uint8Array(makePdf([{ lines: [text] }])) });
  const id = String(body['id']);
  await admin.waitForEnd(id);
  return id;
};

testWhere(
  reason === undefined,
  reason ?? '',
  test,
)('a database restored to a moment and the storage with what was deleted since are the installation of that moment', async (t) => {
  t.timeout(15 * 60_000);
  await using postgres = await startArchivedPostgres();
  await using folder = await makeServiceFolder();
  const [uploads, versions] = [join(folder.path, 'uploads'), join(folder.path, 'versions')];
  const env = { DATABASE_URL: postgres.url };
  let deleted = '';
  let moment = '';
  const kept: Record<string, string> = {};
  {
    await using service = new RunningService({ folder: folder.path, env });
    const admin = await (await service.ready()).register('ada');
    kept['heliotropes'] = await add(admin, 'flowers.pdf', 'a page about heliotropes');
    deleted = await add(admin, 'animals.pdf', 'a page about capybaras');
    await postgres.pgbackrest('backup', '--type=full');
    const ended = String(await postgres.ask("select date_trunc('second', now())::text"));
    kept['gentians'] = await add(admin, 'mountains.pdf', 'a page about gentians');
    // pgBackRest counts whole seconds: it restores to a moment only from a backup that ended in an earlier one
    const isLater = `select now() >= timestamptz '${ended}' + interval '1 second'`;
    await waitFor(async () => (await postgres.ask(isLater)) === true, { description: 'the second after the backup', limitMs: 5_000 });
    moment = String(await postgres.ask('select now()::text'));

    // a storage with versions keeps what is deleted from now on
    await run('cp', ['-a', uploads, versions]);
    t.is((await admin.delete(`/api/documents/${deleted}?permanent=true`)).status, 204);
    await add(admin, 'later.pdf', 'a page about crocuses');
    await postgres.pgbackrest('check'); // and with it, all that was written so far is in the archive
  }
  await postgres.loseData();
  await postgres.pgbackrest('restore', '--type=time', `--target=${moment}`, '--target-action=promote');
  await postgres.startRestored();

  const lacking = await verify(folder.path, postgres.url);
  t.is(lacking.status, 1);
  t.true(lacking.lines.includes(`stored-files: document ${deleted}: its stored file is missing`), lacking.lines.join('\n'));

  await run('cp', ['-an', `${versions}/.`, uploads]); // only what is missing
  t.deepEqual(await verify(folder.path, postgres.url), { status: 0, lines: ['verified: no differences'] });

  await using service = new RunningService({ folder: folder.path, env });
  const admin = await (await service.ready()).login('ada');
  for (const [word, id] of Object.entries({ ...kept, capybaras: deleted })) t.deepEqual(await admin.find(word), [id], word);
  t.deepEqual(await admin.find('crocuses'), []);
  t.is((await admin.request(`/api/documents/${deleted}/download`)).status, 200);
  await add(admin, 'new.pdf', 'a page about edelweiss');
  t.deepEqual(await verify(folder.path, postgres.url), { status: 0, lines: ['verified: no differences'] });
});
