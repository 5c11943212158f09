import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { drawScan, makePdf } from '@sheaf/testkit';
import test, { type TestFn } from 'ava';
import { testWhere } from '../../support/conditional-test.ts';
import { extractionSettings, readAll } from '../../support/extraction.ts';
import { fullOnly } from '../../support/full-run.ts';

interface Context {
  folder: string;
  extractor: Extractor;
}

const GERMAN = [
  'Die Prüfung der Brücken über den Fluß',
  'wurde größtenteils für nötig erklärt und',
  'die Gebühren müssen früher bezahlt werden,',
  'weil die Behörde für Straßen es wünscht.',
];
const ENGLISH = [
  'The harbour master keeps a ledger of every',
  'ship that enters the bay between dusk and',
  'dawn and of the cargo that it carries to',
  'the northern quay, where it is weighed.',
];

const run = test as TestFn<Context>;
const folder = await mkdtemp(join(tmpdir(), 'sheaf-language-'));
const extractor = await Extractor.open(constant(extractionSettings(join(folder, 'scratch'))), silentLogger());
run.before((t) => {
  t.context = { folder, extractor };
});
run.after.always(async () => {
  await extractor.close();
  await rm(folder, { recursive: true, force: true });
});
const whereGerman = testWhere(extractor.installedLanguages().includes('deu'), 'the German model of tesseract is not installed', run.serial);

const read = async (pages: Parameters<typeof makePdf>[0], request: object) => {
  const path = join(folder, 'file.pdf');
  await writeFile(path, makePdf(pages));
  const outcome = await readAll(extractor, { path, mimeType: 'application/pdf', ...request });
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.pages;
};

whereGerman('each page is recognised in its own language, whatever the last one was in', async (t) => {
  const pages = [{ picture: await drawScan(GERMAN) }, { picture: await drawScan(ENGLISH) }, { picture: await drawScan(GERMAN) }];
  const found = await read(pages, { language: 'auto' });
  t.deepEqual(
    found.map(({ language }) => language),
    ['deu', 'eng', 'deu'],
  );
  for (const at of [0, 2]) {
    const words = new Set(found[at]?.text.split(/\s+/));
    for (const word of ['Prüfung', 'Brücken', 'größtenteils', 'Gebühren', 'müssen', 'für']) t.true(words.has(word), `${at + 1}: ${word}`);
  }
  t.true(found[1]?.text.includes('harbour master'));
});

fullOnly(whereGerman)('a page that lies upside down is recognised in its own language as well', async (t) => {
  const [page] = await read([{ picture: await drawScan(GERMAN, 180) }], { language: 'auto' });
  for (const word of ['Prüfung', 'größtenteils', 'für']) t.true(page?.text.includes(word), `${word}: ${page?.text}`);
});

fullOnly(whereGerman)('a language that is not among those of auto is not read with, and a given one is kept', async (t) => {
  const pages = [{ picture: await drawScan(GERMAN) }];
  const [restricted] = await read(pages, { language: 'auto:eng' });
  const [given] = await read(pages, { language: 'eng' });
  t.is(restricted?.language, 'deu', 'it is known what it is in');
  t.is(restricted?.text, given?.text);
});

run.serial('a text layer says what it is in as well, and a short one does not', async (t) => {
  const pages = await read(
    [
      { lines: ['La facture doit etre payee avant la fin du mois prochain,', 'sauf si le contrat a deja ete resilie par ecrit.'] },
      { lines: ['Rechnung 12'] },
    ],
    { language: 'auto' },
  );
  t.deepEqual(
    pages.map(({ language }) => language),
    ['fra', undefined],
  );
});

run.serial('where none of the languages of auto is installed, a scan fails for that reason', async (t) => {
  const path = join(folder, 'scan.pdf');
  await writeFile(path, makePdf([{ picture: await drawScan(ENGLISH) }]));
  const outcome = await readAll(extractor, { path, mimeType: 'application/pdf', language: 'auto:tlh' });
  t.is(outcome.ok ? '' : outcome.reason, 'language_missing');
});
