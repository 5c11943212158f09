import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { freePort } from '../support/free-port.ts';
import { StartedProgram } from '../support/started-program.ts';
import { commandOf, readUnits, unitEnvironment } from '../support/systemd-units.ts';

const ROOT = join(import.meta.dirname, '../..');
const HEALTH_CHECK = ['bin/sheaf-node', 'apps/cli/src/health-check.ts'];

test('the commands of the units run the service: schema first, then each process alone, and SIGTERM ends each with 0', async (t) => {
  t.timeout(3 * 180_000);
  await using database = await openTestDatabase({ empty: true });
  await using folder = await makeServiceFolder();
  const port = await freePort();
  const here = Object.entries(unitEnvironment()).map(([name, path]) => [name, path.replace('/var/lib/sheaf', folder.path)]);
  const env = {
    ...(Object.fromEntries(here) as Record<string, string>),
    PATH: '/usr/bin:/bin', // no Node of the project's: the commands find it
    DATABASE_URL: database.url.reveal(),
    SERVER_ADDRESS: `127.0.0.1:${port}`,
    PROBE_PORT_BASE: '0',
    LOG_FORMAT: 'json',
  };
  await mkdir(join(folder.path, 'data'), { recursive: true });
  const units = readUnits();
  const start = (name: string, more: Readonly<Record<string, string>> = {}): StartedProgram => {
    const unit = units.get(name);
    if (unit === undefined) throw new Error(`there is no unit ${name}`);
    return new StartedProgram({ command: commandOf(unit, ROOT), cwd: ROOT, env: { ...env, ...more } });
  };
  const check = () => new StartedProgram({ command: HEALTH_CHECK, cwd: ROOT, env });

  t.is(await check().ended(), 1, 'the health check fails while nothing listens');
  const early = start('sheaf-migrate.service', { DATABASE_URL: 'mysql://x' });
  t.is(await early.ended(), 78);
  const migrate = start('sheaf-migrate.service');
  t.is(await migrate.ended(), 0, migrate.output);

  const names = ['sheaf-api.service', 'sheaf-ocr-worker@.service', 'sheaf-watcher.service', 'sheaf-sync.service'];
  await using running = new AsyncDisposableStack();
  const programs = names.map((name) => running.use(start(name, name.includes('@') ? { PROCESS_INSTANCE: '1' } : {})));
  for (const program of programs) await program.says(/"msg":"ready"/);
  const checked = check();
  t.is(await checked.ended(), 0, checked.output);
  const admin = await new ApiClient(`http://127.0.0.1:${port}`).register('admin');
  const { body } = await admin.upload({ name: 'letter.txt', bytes: new TextEncoder().encode('a letter about marigolds') });
  t.is((await admin.waitForEnd(String(body['id']))).status, 'completed');

  for (const program of programs.toReversed()) t.is(await program.stop(), 0, program.output);
});
