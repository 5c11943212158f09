import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOffice } from '@sheaf/extraction/testing/office';
import test from 'ava';
import { OWN_PHRASE, REFERENCE_CASES, targetsOfCase } from '../fixtures/external-references/index.ts';
import { openListener, SECRET, showsSecretColour, writeTargets } from '../fixtures/external-references/targets.ts';
import { givenService } from '../support/given-service.ts';

const hasOffice = (await findOffice()) !== undefined;
if (!hasOffice) process.stderr.write('skipped: LibreOffice is not installed\n');

/** Those that LibreOffice follows, one a format; all others: tests/integration/extraction/external-references.test.ts. */
const NAMES = [
  'docx-shape-fill',
  'pptx-shape-fill',
  'xlsx-shape-fill',
  'odt-bullet',
  'odt-background',
  'odp-image',
  'ods-shape',
  'rtf-includepicture',
];

(hasOffice ? test : test.skip)(
  'an uploaded office file shows nothing of the files it refers to: not in its preview, its thumbnail or its text',
  async (t) => {
    t.timeout(3 * 300_000);
    await using given = await givenService({ ALLOWED_FILE_TYPES: 'docx,pptx,xlsx,odt,odp,ods,rtf' });
    await using listener = await openListener();
    const targets = { ...(await writeTargets(given.folder)), url: listener.url };
    const admin = await (await given.service.ready()).register('admin');
    for (const [number, { name, extension, make }] of REFERENCE_CASES.filter((one) => NAMES.includes(one.name)).entries())
      for (const [kind, target] of targetsOfCase(targets, number)) {
        const title = `${name}-${kind}`;
        const { body } = await admin.upload({ name: `${title}.${extension}`, bytes: new Uint8Array(make(target)) });
        const id = String(body['id']);
        t.is((await admin.waitForEnd(id)).status, 'completed', title);
        const pages = JSON.stringify((await admin.get(`/api/documents/${id}/pages`)).body);
        t.true(pages.includes(OWN_PHRASE), title);
        t.false(pages.includes(SECRET), title);
        t.deepEqual(await admin.find(`"${SECRET}"`), [], title);
        const thumbnail = await admin.request(`/api/documents/${id}/thumbnail`);
        t.is(thumbnail.status, 200, title);
        t.false(await showsSecretColour(Buffer.from(await thumbnail.arrayBuffer())), title);
        const preview = join(given.folder, `${title}.pdf`);
        await writeFile(preview, Buffer.from(await (await admin.request(`/api/documents/${id}/preview`)).arrayBuffer()));
        const args = ['-r', '40', '-png', '-singlefile', preview, preview];
        await promisify(execFile)('/usr/bin/pdftoppm', args);
        t.false(await showsSecretColour(await readFile(`${preview}.png`)), title);
      }
    t.deepEqual(listener.requests(), []);
  },
);
