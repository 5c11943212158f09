import { loadConfig } from '@sheaf/config';
import { makePdf } from '@sheaf/testkit';
import { codedPage, drawCodes } from '../../support/barcode-sheets.ts';
import { fullOnly } from '../../support/full-run.ts';
import { testWithBarcodeBench } from './bench-test.ts';

const test = testWithBarcodeBench();

const rulesOf = (environment: Readonly<Record<string, string>>) => ({ ...loadConfig({ environment }).config.barcodes, separator: '' });

test('BARCODE_ENABLED, BARCODE_ASN_PREFIX and BARCODE_LABEL_PREFIX say what codes a document is filed by', async (t) => {
  const { bench } = t.context;
  const sheet = makePdf([
    await codedPage(['Invoice'], { text: 'ARCHIVE 00123', format: 'Code39' }, { text: 'LABEL:home/tax', format: 'DataMatrix' }),
    await codedPage(['page two'], { text: 'LABEL:paid' }),
  ]);
  const off = await bench.add('off.pdf', sheet);
  await bench.work(rulesOf({ BARCODE_ASN_PREFIX: 'ARCHIVE', BARCODE_LABEL_PREFIX: 'LABEL:' }));
  t.like(await bench.look(off.id), { status: 'completed', archive_number: null, labels: [] }, 'off unless it is switched on');
  await bench.rows('delete from documents');
  const on = await bench.add('on.pdf', sheet);
  await bench.work(rulesOf({ BARCODE_ENABLED: 'true', BARCODE_ASN_PREFIX: 'ARCHIVE', BARCODE_LABEL_PREFIX: 'LABEL:' }));
  const expected = { status: 'completed', page_count: 2, archive_number: 123, labels: ['home', 'paid', 'tax'], state: 'ingested' };
  t.like(await bench.look(on.id), expected);
  t.deepEqual(
    await bench.rows(`select above.name from labels join labels as above on above.id = labels.parent_id where labels.name = 'tax'`),
    [{ name: 'home' }],
  );
  // later the document is its owner's
  await bench.rows('delete from document_labels');
  await bench.rows(`update ocr_jobs set status = 'pending', attempts = 0`);
  await bench.rows(`update documents set status = 'pending'`);
  t.true(await bench.work(rulesOf({ BARCODE_ENABLED: 'true', BARCODE_LABEL_PREFIX: 'LABEL:' })));
  t.like(await bench.look(on.id), { status: 'completed', labels: [] });
});

fullOnly(test)('a number that is none, or that another document has, is not given, and the import log says so', async (t) => {
  const { bench } = t.context;
  const first = await bench.add('first.pdf', makePdf([await codedPage(['first'], { text: 'ASN7', format: 'Code128' })]));
  const second = await bench.add('second.pdf', makePdf([await codedPage(['second'], { text: 'ASN0007' }, { text: 'LABEL:kept' })]));
  const none = await bench.add('none.pdf', makePdf([await codedPage(['none'], { text: 'ASN4294967296' })]));
  const own = await bench.add('own.pdf', makePdf([await codedPage(['own'], { text: 'ASN9' })]));
  await bench.rows(`update documents set confirmed_fields = '{archive_number}' where id = $1`, own.id);
  while (await bench.work());
  t.like(await bench.look(first.id), { archive_number: 7, reason_code: null });
  const taken = { archive_number: null, labels: ['kept'], reason_code: 'archive_number_taken', reason_details: { archive_number: 7 } };
  t.like(await bench.look(second.id), taken);
  t.like(await bench.look(none.id), {
    archive_number: null,
    reason_code: 'archive_number_invalid',
    reason_details: { text: 'ASN4294967296' },
  });
  t.like(await bench.look(own.id), { archive_number: null, reason_code: null }, 'a person has taken it away');
});

fullOnly(test)('settings of a source go before the variables, one by one', async (t) => {
  const { bench } = t.context;
  const settings = { barcodes: { enabled: true, asn_prefix: 'NR' } };
  const [source] = (await bench.rows(
    `insert into sources (id, owner_id, type, name, sync_interval_seconds, settings)
     values (gen_random_uuid(), $1, 'local_folder', 'Scans', 0, $2) returning id`,
    bench.owner.id,
    settings,
  )) as { id: string }[];
  const bytes = makePdf([await codedPage(['of a source'], { text: 'NR12' }, { text: 'LABEL:here' })]);
  const document = await bench.add('a.pdf', bytes);
  await bench.rows('update documents set source_id = $1 where id = $2', source?.id, document.id);
  await bench.work({ enabled: false });
  t.like(await bench.look(document.id), { archive_number: 12, labels: ['here'] });
});

test('who may not make labels gets those that there are', async (t) => {
  const { bench } = t.context;
  await bench.rows(`update users set role = 'viewer'`);
  await bench.rows(`insert into labels (id, name, color, description) values (gen_random_uuid(), 'Known', '#000000', '')`);
  const document = await bench.add('a.pdf', makePdf([await codedPage(['a'], { text: 'LABEL:known' }, { text: 'LABEL:new' })]));
  await bench.work();
  t.like(await bench.look(document.id), { status: 'completed', labels: ['Known'] });
  t.is(await bench.count('labels'), 1);
});

test('a page full of codes is bounded, and a document whose codes cannot be had is processed all the same', async (t) => {
  const { bench } = t.context;
  const many = Array.from({ length: 60 }, (_, at) => ({ text: `LABEL:${at}` }));
  const crowded = await bench.add('crowded.pdf', makePdf([{ picture: await drawCodes(many, 2) }]));
  await bench.work();
  t.like(await bench.look(crowded.id), { status: 'completed' });
  t.true((await bench.count('labels')) <= 20);
  const long = await bench.add('long.pdf', makePdf([await codedPage(['long'], { text: `LABEL:${'x'.repeat(1_500)}` })]));
  const stuck = await bench.add('stuck.pdf', makePdf([await codedPage(['words of it'], { text: 'ASN5' })]));
  await bench.work();
  await bench.work({}, { findBarcodes: async () => ({ ok: false, reason: 'timeout' }) });
  t.like(await bench.look(long.id), { status: 'completed', labels: [] });
  t.like(await bench.look(stuck.id), { status: 'completed', page_count: 1, archive_number: null });
});
