import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOffice } from '@sheaf/extraction/testing/office';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test, { type TestFn } from 'ava';

/** A mount namespace in which `/usr/bin/bwrap` is nothing that can be started. */
const WITHOUT_BUBBLEWRAP = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
const hide = 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"';
const canHide = spawnSync('unshare', [...WITHOUT_BUBBLEWRAP, 'sh', '-c', hide, 'sh', 'true']).status === 0;
if (!canHide) process.stderr.write('skipped: bubblewrap is not installed, or no mount namespace is allowed here\n');
const run = (canHide && (await findOffice()) !== undefined ? test : test.skip) as TestFn;

const PROGRAM = `
  import { loadConfig } from '@sheaf/config';
  import { Extractor } from '@sheaf/extraction';
  import { silentLogger, constant } from '@sheaf/process';
  import { toolLayers } from '@sheaf/sandbox';
  import { extractionSettings } from ${JSON.stringify(new URL('../../../apps/ocr-worker/src/settings.ts', import.meta.url).href)};
  import { readAll } from ${JSON.stringify(new URL('../../support/extraction.ts', import.meta.url).href)};
  const { config } = loadConfig({ environment: process.env });
  await using extractor = await Extractor.open(constant(extractionSettings(config)), silentLogger());
  const read = (name, mimeType) => readAll(extractor, { path: process.env.FOLDER + '/' + name, mimeType });
  const office = await read('note.rtf', 'application/rtf');
  const text = await read('note.txt', 'text/plain');
  console.log(JSON.stringify({ layers: toolLayers(), office, text, problems: extractor.problems() }));
`;

run('PARSER_SANDBOX=require refuses office files where there is no sandbox', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-no-sandbox-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'note.rtf'), '{\\rtf1 hello}');
  await writeFile(join(folder, 'note.txt'), 'hello');
  const read = async (PARSER_SANDBOX: string) => {
    const program = ['sh', process.execPath, '-e', PROGRAM];
    const environment = {
      PATH: process.env['PATH'],
      ...CODE_CACHE_ENVIRONMENT,
      FOLDER: folder,
      DATA_PATH: join(folder, 'data'),
      TEMP_STORAGE_PATH: join(folder, 'temp'),
      UPLOAD_PATH: join(folder, 'uploads'),
      PARSER_SANDBOX,
    };
    const { stdout } = await promisify(execFile)('unshare', [...WITHOUT_BUBBLEWRAP, 'sh', '-c', hide, ...program], {
      cwd: import.meta.dirname,
      env: environment,
    });
    return JSON.parse(stdout);
  };
  const required = await read('require');
  t.is(required.layers.filesystem, 'none');
  t.like(required.office, { ok: false, reason: 'tool_missing' });
  t.regex(required.office.message, /PARSER_SANDBOX=require/);
  t.like(required.text, { ok: true });
  t.true(required.problems.some(({ code }: { code: string }) => code === 'sandbox_missing'));
  const preferred = await read('prefer');
  t.like(preferred.office, { ok: true });
  t.true(preferred.problems.some(({ code }: { code: string }) => code === 'sandbox_weak'));
});
