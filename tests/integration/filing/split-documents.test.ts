// Stacks of pages that barcodes part.

import { loadConfig } from '@sheaf/config';
import { makePdf, makeSignedPdf, type PdfPage } from '@sheaf/testkit';
import sharp from 'sharp';
import { codedPage, drawCodes } from '../../support/barcode-sheets.ts';
import { fullOnly } from '../../support/full-run.ts';
import { testWithBarcodeBench } from './bench-test.ts';
import type { BarcodeBench } from './fixture.ts';

const test = testWithBarcodeBench();
const testFull = fullOnly(test);

const sheet = (): Promise<PdfPage> => codedPage([], { text: 'PATCHT', format: 'Code128' });
const textPage = (text: string): PdfPage => ({ lines: [text] });

/** A TIFF with a page for each of these texts, as lines and as codes. */
const tiffOf = async (pages: readonly (readonly string[])[]): Promise<Buffer> => {
  const sheets = await Promise.all(pages.map((texts) => drawCodes(texts.map((text) => ({ text })))));
  const raw = await Promise.all(sheets.map(({ jpeg }) => sharp(jpeg).toColourspace('b-w').raw().toBuffer()));
  const { width, height } = sheets[0] ?? { width: 1, height: 1 };
  return sharp(Buffer.concat(raw), { raw: { width, height: height * raw.length, channels: 1, pageHeight: height } })
    .tiff({ compression: 'lzw', xres: 150 / 25.4, yres: 150 / 25.4 })
    .toBuffer();
};

const settingsOf = (environment: Readonly<Record<string, string>>) => loadConfig({ environment }).config;

/** Processes until the queue is empty. */
const workAll = async (bench: BarcodeBench, rules = {}): Promise<void> => {
  while (await bench.work(rules));
};

/** What there is, in the order in which it was made: names, pages and what leads from one to the other. */
const look = async ({ rows }: Pick<BarcodeBench, 'rows'>) =>
  (await rows(
    `select id, title, filename, mime_type, status, version, page_count, archive_number, source, metadata,
       array(select content from document_pages where document_id = documents.id order by page) as pages,
       array(select name from document_labels join labels on labels.id = label_id where document_id = documents.id order by name) as labels
     from documents order by id`,
  )) as Record<string, unknown>[];

const entryOf = async ({ rows }: Pick<BarcodeBench, 'rows'>, id: string) =>
  (await rows('select state, reason_code, reason_details from ingest_ledger where document_id = $1', id))[0];

test('BARCODE_SEPARATOR begins a document, and BARCODE_KEEP_SEPARATOR keeps the sheet as its first page', async (t) => {
  const { bench } = t.context;
  const [label] = (await bench.rows(
    `insert into labels (id, name, color, description) values (gen_random_uuid(), 'Inbox', '#000000', '') returning id`,
  )) as { id: string }[];
  const stack = makePdf([
    await codedPage(['first'], { text: 'ASN1' }),
    textPage('first again'),
    await sheet(),
    await codedPage(['second'], { text: 'ASN2' }, { text: 'LABEL:paid' }),
    await sheet(),
    textPage('third'),
  ]);
  const { id } = await bench.add('scan.pdf', stack, { labelIds: [label?.id ?? ''] });
  await bench.work(settingsOf({ BARCODE_ENABLED: 'true', BARCODE_LABEL_PREFIX: 'LABEL:' }).barcodes);
  t.like(await bench.rows('select status from ocr_jobs'), [{ status: 'pending' }, { status: 'pending' }, { status: 'pending' }]);
  await workAll(bench, { labelPrefix: 'LABEL:' });
  const documents = await look(bench);
  const [first, second, third] = documents.map((row) => row['id']);
  t.is(first, id);
  const common = { status: 'completed', mime_type: 'application/pdf', source: 'upload' };
  t.like(documents, [
    { ...common, title: 'scan', filename: 'scan.pdf', version: 2, page_count: 2, archive_number: 1, labels: ['Inbox'] },
    { ...common, title: 'scan (2)', filename: 'scan (2).pdf', version: 1, page_count: 1, archive_number: 2, labels: ['Inbox', 'paid'] },
    { ...common, title: 'scan (3)', filename: 'scan (3).pdf', version: 1, page_count: 1, archive_number: null, labels: ['Inbox'] },
  ]);
  t.deepEqual(
    documents.map((row) => (row['pages'] as string[]).map((page) => page.trim())),
    [['first', 'first again'], ['second'], ['third']],
  );
  t.deepEqual(documents[0]?.['metadata'], {
    split_into: {
      version: 1,
      parts: [
        { document_id: first, pages: [1, 2] },
        { document_id: second, pages: [4] },
        { document_id: third, pages: [6] },
      ],
    },
  });
  t.deepEqual(documents[1]?.['metadata'], { split_from: { document_id: id, pages: [4] } });
  t.deepEqual(await entryOf(bench, id), {
    state: 'split',
    reason_code: 'split',
    reason_details: { documents: 3, parts: [first, second, third], duplicates: [] },
  });
  t.like(await bench.rows('select version, sha256, filename from document_versions'), [{ version: 1, filename: 'scan.pdf' }]);
  t.is((await bench.stored()).length, 4);
  const events = (await bench.rows(
    `select type, data ->> 'state' as state from events where type in ('document_created', 'ingest') order by id`,
  )) as { type: string; state: string | null }[];
  t.deepEqual(
    events.map(({ type, state }) => state ?? type),
    ['document_created', 'ingested', 'split', 'document_created', 'document_created'],
  );

  await bench.rows('delete from documents');
  await bench.add('scan.pdf', makePdf([textPage('a'), await sheet(), textPage('b')]));
  const { barcodes } = settingsOf({ BARCODE_ENABLED: 'true', BARCODE_KEEP_SEPARATOR: 'true', BARCODE_SEPARATOR: 'PATCHT' });
  await workAll(bench, barcodes);
  t.deepEqual(
    (await look(bench)).map((row) => row['page_count']),
    [1, 2],
  );
  await bench.rows('delete from documents');
  const custom = await bench.add('scan.pdf', makePdf([textPage('a'), await codedPage([], { text: 'NEXT' }), textPage('b')]));
  await workAll(bench, settingsOf({ BARCODE_ENABLED: 'true' }).barcodes);
  t.like(await look(bench), [{ page_count: 3 }], 'another text is no separator');
  await bench.rows('delete from documents where id = $1', custom.id);
  await bench.add('scan.pdf', makePdf([textPage('a'), await codedPage([], { text: 'NEXT' }), textPage('b')]));
  await workAll(bench, settingsOf({ BARCODE_ENABLED: 'true', BARCODE_SEPARATOR: 'NEXT' }).barcodes);
  t.like(await look(bench), [{ page_count: 1 }, { page_count: 1 }]);
});

testFull('the pages of a TIFF become PDFs', async (t) => {
  const { bench } = t.context;
  const { id } = await bench.add('scan.tiff', await tiffOf([['first', 'ASN7'], ['PATCHT'], ['second', 'ASN8']]));
  await workAll(bench);
  const common = { status: 'completed', mime_type: 'application/pdf', page_count: 1 };
  t.like(await look(bench), [
    { ...common, id, filename: 'scan.pdf', archive_number: 7, version: 2 },
    { ...common, filename: 'scan (2).pdf', archive_number: 8, version: 1 },
  ]);
  t.like(await bench.rows('select filename, mime_type from document_versions'), [{ filename: 'scan.tiff', mime_type: 'image/tiff' }]);
});

/** Ends with a separator and one more page. */
const stackOf = async (first: string) => [await codedPage([first], { text: 'ASN5' }), await sheet(), textPage('second')];

fullOnly(test)('a signed file cannot be split and stays whole, and the import log says why', async (t) => {
  const { bench } = t.context;
  const signed = await bench.add('signed.pdf', await makeSignedPdf(await stackOf('signed'), 'Harbour Office'));
  await workAll(bench);
  t.like((await look(bench))[0], { status: 'completed', version: 1, page_count: 3, archive_number: 5 });
  t.deepEqual(await entryOf(bench, signed.id), { state: 'ingested', reason_code: 'not_split_signed', reason_details: {} });
});

testFull('a file whose parts are known already stays whole, numbers that others have are named, and the import log says so', async (t) => {
  const { bench } = t.context;
  const bytes = makePdf(await stackOf('first'));
  const first = await bench.add('first.pdf', bytes);
  await workAll(bench);
  const again = await bench.add('again.pdf', bytes);
  await workAll(bench);
  const [kept, part, whole] = await look(bench);
  t.like(whole, { id: again.id, status: 'completed', version: 1, page_count: 3, archive_number: null, metadata: {} });
  t.deepEqual(await entryOf(bench, again.id), {
    state: 'ingested',
    reason_code: 'not_split_known',
    reason_details: { duplicates: [kept?.['id'], part?.['id']] },
  });
  t.is(kept?.['id'], first.id);
  // the part that is not there is made, and numbers that others have are named
  await bench.rows('delete from documents where id in ($1, $2)', part?.['id'], again.id);
  await bench.rows('update documents set archive_number = 9');
  const third = await bench.add('third.pdf', bytes);
  await workAll(bench);
  t.like(await look(bench), [{ id: first.id }, { id: third.id, version: 2, page_count: 1 }]);
  t.like(await entryOf(bench, third.id), { state: 'split', reason_details: { documents: 2, parts: [third.id], duplicates: [first.id] } });
  const numbered = await bench.add(
    'numbered.pdf',
    makePdf([
      await codedPage(['x'], { text: 'ASN9' }),
      await sheet(),
      await codedPage(['y'], { text: 'ASN0' }),
      await codedPage(['z'], { text: 'ASN10' }),
    ]),
  );
  await workAll(bench);
  t.like(await entryOf(bench, numbered.id), {
    state: 'split',
    reason_code: 'split_without_numbers',
    reason_details: { numbers: '9, ASN0' },
  });
});

fullOnly(test)('WATCH_BARCODE_* go before BARCODE_* for files of watch folders, one by one', async (t) => {
  const { bench } = t.context;
  const { barcodes: rules, watchBarcodes: watched } = settingsOf({
    WATCH_BARCODE_ENABLED: 'true',
    WATCH_BARCODE_SEPARATOR: 'NEXT',
    WATCH_BARCODE_KEEP_SEPARATOR: 'true',
    WATCH_BARCODE_ASN_PREFIX: 'NR',
    WATCH_BARCODE_LABEL_PREFIX: 'TAG:',
  });
  const stack = [
    await codedPage(['a'], { text: 'NR1' }, { text: 'TAG:one' }),
    await codedPage(['next'], { text: 'NEXT' }),
    await codedPage(['b'], { text: 'NR2' }),
  ];
  const modifiedAt = new Date('2026-11-01T10:00:00Z');
  const seen = { route: 'watch' as const, ledgerPath: 'in/box.pdf', modifiedAt };
  const { id } = await bench.add('box.pdf', makePdf(stack), seen);
  const own = await bench.add('own.pdf', makePdf([...stack, textPage('own')]));
  while (await bench.work(rules, {}, watched));
  t.like(await look(bench), [
    { id, page_count: 1, archive_number: 1, labels: ['one'] },
    { id: own.id, page_count: 4, archive_number: null, labels: [] },
    { source: 'watch', page_count: 2, archive_number: 2 },
  ]);
  // neither a touch nor another name nor another scan imports it again
  const take = async (file: object) => bench.take(makePdf(stack), { ...seen, filename: 'box.pdf', maxBytes: 100_000_000, ...file });
  const split = await entryOf(bench, id);
  t.like(split, { state: 'split', reason_code: 'split' });
  t.like(await take({}), { outcome: 'duplicate', documentId: id });
  t.like(await take({ modifiedAt: new Date() }), { outcome: 'duplicate', documentId: id });
  t.deepEqual(await entryOf(bench, id), split);
  await bench.rows(`update ingest_ledger set modified_at = $1 where path = 'in/box.pdf'`, modifiedAt);
  t.like(await take({ ledgerPath: 'in/renamed.pdf' }), { outcome: 'duplicate', documentId: id });
  t.is(await bench.count('documents'), 3);
  t.like(await bench.rows(`select state, document_id from ingest_ledger where path = 'in/renamed.pdf'`), [
    { state: 'duplicate', document_id: id },
  ]);
});
