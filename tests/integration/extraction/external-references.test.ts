import { execFile } from 'node:child_process';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Extractor } from '@sheaf/extraction';
import { findOffice, OfficeConverter } from '@sheaf/extraction/testing/office';
import { makeThumbnails } from '@sheaf/extraction/thumbnail';
import { constant, silentLogger } from '@sheaf/process';
import { toolLayers } from '@sheaf/sandbox';
import { isFullRun, makeServiceFolder } from '@sheaf/testkit';
import { findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import test from 'ava';
import { OWN_PHRASE, REFERENCE_CASES } from '../../fixtures/external-references/index.ts';
import { openListener, SECRET, showsSecretColour, writeTargets } from '../../fixtures/external-references/targets.ts';
import { convertBare } from '../../support/bare-office.ts';
import { extractionLimits, extractionSettings, squeezed } from '../../support/extraction.ts';
import { fullOnly } from '../../support/full-run.ts';
import { strip } from '../../support/stripped.ts';

const hasOffice = (await findOffice()) !== undefined;
if (!hasOffice) process.stderr.write('skipped: LibreOffice is not installed\n');
const run = hasOffice ? test : test.skip;

const runProgram = promisify(execFile);

/** What of the secret files a PDF shows. */
const leaksOf = async (pdfPath: string): Promise<string[]> => {
  await runProgram('/usr/bin/pdftotext', [pdfPath, `${pdfPath}.txt`]);
  await runProgram('/usr/bin/pdftoppm', ['-r', '40', '-png', '-singlefile', pdfPath, `${pdfPath}.page`]);
  const text = await readFile(`${pdfPath}.txt`, 'utf8');
  const leaks = squeezed(text).includes(squeezed(SECRET)) ? ['text'] : [];
  if (await showsSecretColour(await readFile(`${pdfPath}.page.png`))) leaks.push('picture');
  return leaks;
};

/** What leaks without the layer; what else does is of the version that is installed. */
const KNOWN_LEAKS = {
  picture: [
    'docx-shape-fill-picture.docx',
    'pptx-shape-fill-picture.pptx',
    'xlsx-shape-fill-picture.xlsx',
    'odt-bullet-picture.odt',
    'odt-background-picture.odt',
    'odp-image-picture.odp',
    'ods-shape-picture.ods',
  ],
  text: ['odt-bullet-pdf.odt', 'odp-image-pdf.odp', 'ods-shape-pdf.ods', 'rtf-includepicture-pdf.rtf'],
};

/** What the usual run tries of them: of each family of formats one. How each reference is removed, tests/unit/extraction tries. */
const FEW_KNOWN = ['docx-shape-fill-picture.docx', 'odt-bullet-pdf.odt', 'rtf-includepicture-pdf.rtf'];

/** The documents of each kind of reference with each kind of target; in the usual run the few. */
const makeDocuments = (targets: Readonly<Record<string, string>>) =>
  REFERENCE_CASES.flatMap(({ name, extension, make }) =>
    Object.entries(targets)
      .map(([kind, target]) => ({ name: `${name}-${kind}.${extension}`, kind, target }))
      .filter((document) => isFullRun || FEW_KNOWN.includes(document.name))
      .map((document) => ({
        name: document.name,
        extension,
        bytes: make(document.kind === 'url' ? `${document.target}?${name}` : document.target),
      })),
  );

type Documents = ReturnType<typeof makeDocuments>;

fullOnly(run)('LibreOffice loads what a document refers to, and nothing once the references are stripped', async (t) => {
  t.timeout(3 * 600_000);
  await using folder = await makeServiceFolder();
  await using listener = await openListener();
  const targets = { ...(await writeTargets(folder.path)), url: listener.url };
  const convertAll = async (name: string, documents: Documents, toBytes: (bytes: Buffer) => Promise<Buffer>): Promise<string[]> => {
    const inputs = documents.map((document) => join(folder.path, document.name));
    for (const [at, { bytes }] of documents.entries()) await writeFile(inputs[at] ?? '', await toBytes(bytes));
    await convertBare(inputs, join(folder.path, name));
    const leaks: string[] = [];
    for (const document of documents) {
      const pdfPath = join(folder.path, name, document.name.replace(/\.\w+$/, '.pdf'));
      const isMade = await stat(pdfPath).then(
        () => true,
        () => false, // LibreOffice gave up on it
      );
      for (const leak of isMade ? await leaksOf(pdfPath) : ['no PDF']) leaks.push(`${document.name}: ${leak}`);
    }
    return leaks;
  };
  // Without the layer: the test could not fail otherwise.
  const documents = makeDocuments(targets);
  const leaks = await convertAll('bare', documents, async (bytes) => bytes);
  for (const [leak, names] of Object.entries(KNOWN_LEAKS)) for (const name of names) t.true(leaks.includes(`${name}: ${leak}`), name);
  const before = listener.requests().length;
  t.true(before > 0);

  t.deepEqual(await convertAll('stripped', documents, async (bytes) => (await strip(bytes)).output), []);
  t.is(listener.requests().length, before);
});

run('no preview, no thumbnail and no text shows what a document refers to, and the stored file stays as it was', async (t) => {
  t.timeout(3 * 600_000);
  await using folder = await makeServiceFolder();
  await using listener = await openListener();
  const scratchPath = join(folder.path, 'scratch');
  await using extractor = await Extractor.open(constant(extractionSettings(scratchPath)), silentLogger());
  const { signal } = new AbortController();
  const targets = { ...(await writeTargets(folder.path)), url: listener.url };
  for (const { name, extension, bytes } of makeDocuments(targets)) {
    const path = join(folder.path, name);
    await writeFile(path, bytes);
    const mimeType = findKindByExtension(extension)?.mimeType ?? '';
    const request = { path, mimeType, filename: name, language: 'eng', ocr: false, donePages: new Set<number>(), signal };
    const extraction = await extractor.extract(request);
    if (!extraction.ok) {
      t.fail(`${name}: ${extraction.reason}`);
      continue;
    }
    await using document = extraction;
    let text = '';
    for await (const batch of document.pages) text += batch.map((page) => page.text).join(' ');
    t.true(squeezed(text).includes(squeezed(OWN_PHRASE)), `${name}: ${text}`);
    t.false(squeezed(text).includes(squeezed(SECRET)), name);
    const previewPath = join(folder.path, `${name}.pdf`);
    await rename(document.previewPath ?? '', previewPath);
    t.deepEqual(await leaksOf(previewPath), [], name);
    const frames = [{ width: 200, height: 200 }];
    const pictures = await makeThumbnails(extractor.pictures, { path, mimeType, previewPath, frames, format: 'webp', scratchPath, signal });
    t.false(await showsSecretColour(Buffer.from(pictures?.[0] ?? [])), name);
    t.deepEqual(await readFile(path), bytes, name);
  }
  t.deepEqual(listener.requests(), []);
});

const isSandboxed = toolLayers().filesystem === 'bubblewrap';
if (!isSandboxed) process.stderr.write('skipped: bubblewrap is not to be had here\n');

(isSandboxed ? run : test.skip)('the sandbox alone keeps LibreOffice from what a document refers to', async (t) => {
  t.timeout(3 * 300_000);
  await using folder = await makeServiceFolder();
  await using listener = await openListener();
  const office = await findOffice();
  if (office === undefined) return t.fail();
  const converter = new OfficeConverter(office, folder.path, { readers: 1, limits: extractionLimits }, silentLogger());
  t.teardown(() => converter.close());
  const limit = { timeoutMs: 60_000, signal: new AbortController().signal };
  for (const { name, bytes } of makeDocuments({ ...(await writeTargets(folder.path)), url: listener.url })) {
    await writeFile(join(folder.path, name), bytes);
    const outcome = await converter.convert(join(folder.path, name), folder.path, limit);
    // without its layer some documents cannot be converted at all, which shows nothing either
    if (outcome.ok) t.deepEqual(await leaksOf(outcome.path), [], name);
  }
  t.deepEqual(listener.requests(), []);
});
