import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';

const PASSWORD = 'correct horse battery';

const test = testInChromium(async (own) => {
  const whole = await wholeService()(own);
  const admin = await whole.anyone.register('ada');
  const { body } = await admin.upload({ name: 'letter.txt', bytes: new TextEncoder().encode('the first letter') });
  await admin.waitForEnd(String(body['id']));
  return { ...whole, admin };
});

/** What the bar and the row say may take a moment on a busy machine. */
const LONG = { timeout: 120_000 };

test('the health screen makes a backup, shows it with its size, verifies it, and says so when it is damaged', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'ada', password: PASSWORD });
  await web.go('/service-health');
  const backups = page.getByRole('region', { name: text('backups.title') });
  await backups.getByText(text('backups.none'), { exact: true }).waitFor();
  t.deepEqual(await web.flaws('health-no-backup'), []);

  await backups.getByRole('button', { name: text('backups.create') }).click();
  await backups.getByText(text('backups.complete'), { exact: true }).waitFor(LONG);
  await backups.getByText(text('backups.notVerified'), { exact: true }).waitFor();
  const listed = (await served.admin.get('/api/backups')).body['data'] as { name: string; documents: number }[];
  t.like(listed, [{ documents: 1, state: 'complete' }]);
  const name = listed[0]?.name ?? '';
  await backups.getByText(name, { exact: true }).waitFor();

  const verify = backups.getByRole('button', { name: `${text('backups.verify')}: ${name}` });
  await verify.click();
  await backups.getByText(new RegExp(`^${text('backups.ok')} · `)).waitFor(LONG);
  t.deepEqual(await web.flaws('health-backups'), []);

  const path = String((await served.admin.get('/api/backups')).body['path']);
  t.deepEqual(await readdir(path), [name]);
  const hash = (await readFile(join(path, name, 'files.list'), 'utf8')).slice(0, 64);
  await rm(join(path, name, 'files', hash.slice(0, 2), hash.slice(2, 4), hash));
  await verify.click();
  await backups.getByText(text('backups.damaged'), { exact: true }).waitFor(LONG);
  t.deepEqual(web.offences, []);
});

test('the health screen shows where documents are stored and how full the disks are', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'ada', password: PASSWORD });
  await web.go('/service-health');
  const storage = page.getByRole('region', { name: text('storage.title') });
  await storage.getByText(text('storage.local'), { exact: true }).waitFor();
  await storage.getByText(join(served.given.folder, 'uploads'), { exact: true }).waitFor();
  await storage.getByText(text('documents.count', { count: 1 })).waitFor();
  t.true((await storage.getByRole('progressbar').count()) > 0);
});

test('the health screen lists the hosts once there are several', async (t) => {
  const { open, served } = t.context;
  const { pool } = served.given.database;
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'ada', password: PASSWORD });
  await web.go('/service-health');
  t.is(await page.getByRole('heading', { name: text('hosts.title') }).count(), 0);
  await pool.query(`insert into processes (id, name, pid, host, version, config_hash, status, memory_bytes, started_at, facts)
    values (gen_random_uuid(), 'ocr-worker', 1, 'reading-room', '9.9', '', 'healthy', 1, now(),
      jsonb_build_object('instance', 0, 'probe_host', '127.0.0.1', 'config_since', '2026-01-01T00:00:00Z', 'cores', 16, 'languages', array['deu']))`);
  const row = page
    .getByRole('table', { name: text('hosts.title') })
    .getByRole('row')
    .filter({ hasText: 'reading-room' });
  await row
    .filter({ hasText: 'ocr-worker' })
    .filter({ hasText: 'deu' })
    .filter({ hasText: '16' })
    .getByText(text('hosts.running'))
    .waitFor();
  t.deepEqual(await web.flaws('health-hosts'), []);
  await pool.query("delete from processes where host = 'reading-room'");
  t.deepEqual(web.offences, []);
});
