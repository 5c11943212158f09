import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '@sheaf/extraction/testing';
import { findOffice } from '@sheaf/extraction/testing/office';
import { drawLines, makePdf } from '@sheaf/testkit';
import test, { type TestFn } from 'ava';

/** As in a container: root without the right to mount, and a `/proc` of which a part is hidden, so that no other may be mounted. */
const CONTAINER = 'mount -t tmpfs none /proc/fs && exec setpriv --inh-caps=-sys_admin --bounding-set=-sys_admin -- "$@"';
const inContainer = (...command: string[]): string[] => ['--mount', 'sh', '-c', CONTAINER, 'sh', ...command];

const canMake = process.getuid?.() === 0 && spawnSync('unshare', inContainer('bwrap', '--version')).status === 0;
const hasPrograms = (await findOffice()) !== undefined && (await findProgram('tesseract')) !== undefined;
if (!canMake || !hasPrograms) process.stderr.write('skipped: needs root, bubblewrap, LibreOffice and tesseract\n');
const run = (canMake && hasPrograms ? test : test.skip) as TestFn;

const PROGRAM = `
  import { Extractor } from '@sheaf/extraction';
  import { silentLogger, constant } from '@sheaf/process';
  import { toolLayers } from '@sheaf/sandbox';
  import { extractionSettings, readAll } from ${JSON.stringify(new URL('../../support/extraction.ts', import.meta.url).href)};
  await using extractor = await Extractor.open(constant(extractionSettings(process.env.FOLDER + '/scratch')), silentLogger());
  const read = async (name, mimeType) => (await readAll(extractor, { path: process.env.FOLDER + '/' + name, mimeType })).text;
  const texts = [await read('note.rtf', 'application/rtf'), await read('text.pdf', 'application/pdf'), await read('scan.png', 'image/png')];
  console.log(JSON.stringify({ layers: toolLayers(), texts }));
`;

run('in a container with user namespaces documents of all kinds are read in a sandbox', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-container-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'note.rtf'), '{\\rtf1 harbour}');
  await writeFile(join(folder, 'text.pdf'), makePdf([{ lines: ['harbour'] }]));
  await writeFile(join(folder, 'scan.png'), await drawLines(['harbour ledger']).png().toBuffer());
  const { stdout } = await promisify(execFile)('unshare', inContainer(process.execPath, '-e', PROGRAM), {
    cwd: import.meta.dirname,
    env: { ...process.env, FOLDER: folder },
  });
  const { layers, texts } = JSON.parse(stdout);
  t.like(layers, { filesystem: 'bubblewrap', network: true, user: null, no_new_privileges: true });
  for (const text of texts) t.regex(text, /harbour/);
});
