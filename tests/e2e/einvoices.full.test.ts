// E-invoices through the whole service: XML of both syntaxes, PDFs that hold one, other XML, and XML that is meant to do harm.
import { makePdf } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { z } from 'zod';
import { type GivenService, givenService, READING_ALONE } from '../support/given-service.ts';
import { listenForProbes } from '../support/probes.ts';
import { ciiXml } from '../unit/einvoice/cii-xml.ts';
import { HOSTILE } from '../unit/einvoice/hostile-xml.ts';
import { ublXml } from '../unit/einvoice/ubl-xml.ts';

type Client = Awaited<ReturnType<Awaited<ReturnType<GivenService['service']['ready']>>['register']>>;

const test = anyTest as TestFn<{ given: GivenService; admin: Client }>;

const einvoice = z.looseObject({
  number: z.string(),
  issue_date: z.string(),
  grand_total: z.string(),
  is_valid: z.boolean(),
  rules: z.string(),
  violations: z.array(z.looseObject({ code: z.string() })),
  differences: z.array(z.looseObject({ field: z.string(), xml: z.string(), page: z.string().nullable() })),
  attachments: z.array(z.looseObject({ number: z.number(), name: z.string().nullable(), is_embedded: z.boolean() })),
});

test.before(async (t) => {
  t.timeout(240_000);
  const given = await givenService(
    { ALLOWED_FILE_TYPES: 'pdf,txt,xml', MAX_FILE_SIZE_MB: '60', RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'warn' },
    READING_ALONE,
  );
  t.context = { given, admin: await (await given.service.ready()).register('admin') };
});
test.after.always((t) => t.context.given[Symbol.asyncDispose]());

const bytesOf = (content: string | Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(content));

let uploads = 0;
/** Uploads under a name of its own and waits for the end of processing. */
const processed = async (admin: Client, content: string | Uint8Array, extension: string) => {
  uploads += 1;
  const { status, body } = await admin.upload({ name: `invoice-${uploads}.${extension}`, bytes: bytesOf(content) });
  if (status !== 201) throw new Error(`upload answered ${status}: ${JSON.stringify(body)}`);
  return admin.waitForEnd(String(body['id']));
};

const readEinvoice = async (admin: Client, id: string) => einvoice.parse((await admin.get(`/api/documents/${id}/einvoice`)).body);

/** What a printed invoice says of that of `ciiXml`. */
const PRINTED = [
  'Acme Ltd',
  'Invoice 2026-7',
  'Date: 14.03.2026',
  'Net 100,00',
  'VAT 19,00',
  'Total 119,00 EUR',
  'DE75 5121 0800 1245 1261 99',
];

const zugferd = (xml: string, lines: readonly string[] = PRINTED, name = 'factur-x.xml'): Buffer =>
  makePdf(
    [{ lines }],
    [
      { name: 'terms.txt', bytes: Buffer.from('terms') },
      { name, bytes: Buffer.from(xml) },
    ],
  );

test('UBL and CII become documents with their data, their date, their words and a view', async (t) => {
  const { admin, given } = t.context;
  for (const [syntax, xml] of [
    ['UBL', ublXml({ sellerName: 'Zirkel &amp; Sohn &lt;b&gt;' })],
    ['UBL', ublXml({ sellerName: 'Zirkel &amp; Sohn Gutschrift' }, 'CreditNote')],
    ['CII', ciiXml({ notes: '<ram:IncludedNote><ram:Content>Zirkel</ram:Content></ram:IncludedNote>' })],
  ] as const) {
    const document = await processed(admin, xml, 'xml');
    t.like(document, { status: 'completed', mime_type: 'application/xml', page_count: 1, has_einvoice: true, document_date: '2026-03-14' });
    t.true((await admin.find('Zirkel')).includes(document.id));
    const { body } = await admin.get(`/api/documents/${document.id}/einvoice`);
    t.like(body, { syntax, profile: 'EN16931', number: '2026-7', issue_date: '2026-03-14', currency: 'EUR', grand_total: '119.00' });
    t.like(body, { payable: '119.00', buyer: { name: 'Buyer & Sons' }, is_valid: true, rules: 'en16931', differences: [], violations: [] });
    t.like((body as { seller: unknown }).seller, { vat_id: 'DE123456789', iban: 'DE75512108001245126199' });
    const thumbnail = await admin.request(`/api/documents/${document.id}/thumbnail?width=200&height=200`);
    t.is(thumbnail.status, 200);
  }
  const { rows } = await given.database.pool.query(`select origin from document_pages where content like '%Zirkel%'`);
  t.deepEqual(new Set(rows.map(({ origin }: { origin: string }) => origin)), new Set(['text']));
});

test('the view runs, loads and embeds nothing, in both languages; an attachment comes as a download', async (t) => {
  const { admin } = t.context;
  const attachment = (name: string, content: string): string =>
    `<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/html" filename="${name}">${Buffer.from(content).toString('base64')}</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`;
  const link =
    '<cac:AdditionalDocumentReference><cbc:ID>2</cbc:ID><cac:Attachment><cac:ExternalReference><cbc:URI>http://127.0.0.1:9/x</cbc:URI></cac:ExternalReference></cac:Attachment></cac:AdditionalDocumentReference>';
  const script = '<script>alert(1)</script>';
  const xml = ublXml({
    sellerName: '&lt;script&gt;alert(1)&lt;/script&gt;',
    references: `<cbc:BuyerReference>PO-7</cbc:BuyerReference>${attachment('../../terms.html', script)}${link}`,
  });
  const { id } = await processed(admin, xml, 'xml');
  for (const [language, title] of [
    ['en', 'Invoice number'],
    ['de', 'Rechnungsdatum'],
  ] as const) {
    const view = await admin.request(`/api/documents/${id}/einvoice/view?language=${language}`);
    t.is(view.status, 200);
    t.is(view.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = view.headers.get('content-security-policy') ?? '';
    t.regex(policy, /^sandbox; default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    t.false(policy.includes('unsafe-inline'));
    const html = await view.text();
    t.true(html.includes(`lang="${language}"`) && (html.includes(title) || language === 'en'), title);
    t.false(html.includes('<script'));
    t.true(html.includes('&lt;script&gt;'));
  }
  t.is((await admin.get(`/api/documents/${id}/einvoice/view?language=fr`)).status, 400);

  const { attachments } = await readEinvoice(admin, id);
  t.deepEqual(
    attachments.map(({ name, is_embedded: isEmbedded }) => [name, isEmbedded]),
    [
      ['terms.html', true],
      ['http://127.0.0.1:9/x', false],
    ],
  );
  const file = await admin.request(`/api/documents/${id}/einvoice/attachments/1`);
  t.is(file.status, 200);
  t.is(file.headers.get('content-type'), 'application/octet-stream');
  t.is(file.headers.get('x-content-type-options'), 'nosniff');
  t.is(file.headers.get('content-disposition'), 'attachment; filename="terms.html"');
  t.is(await file.text(), script);
  for (const number of [2, 3]) {
    const { status, body } = await admin.get(`/api/documents/${id}/einvoice/attachments/${number}`);
    t.is(status, 404);
    t.like(body['error'], { code: 'ATTACHMENT_NOT_FOUND' });
  }
  t.is((await admin.get(`/api/documents/${id}/einvoice/attachments/0`)).status, 404);
});

test('a PDF that holds an invoice has its data beside its pages; the date that a person set stays', async (t) => {
  const { admin, given } = t.context;
  for (const name of ['factur-x.xml', 'ZUGFeRD-invoice.xml', 'zugferd-invoice.xml', 'xrechnung.xml']) {
    const document = await processed(admin, zugferd(ciiXml(), [...PRINTED, name], name), 'pdf');
    t.like(document, { status: 'completed', has_einvoice: true, document_date: '2026-03-14' });
    t.false(document.content.includes('Buyer'), 'the text is that of the page');
    t.like(await readEinvoice(admin, document.id), { number: '2026-7', is_valid: true, differences: [] });
    const view = await admin.request(`/api/documents/${document.id}/einvoice/view`);
    t.is(view.status, 200);
    t.regex(await view.text(), /Buyer &amp; Sons/);
  }
  const { id } = await processed(admin, zugferd(ciiXml(), [...PRINTED, 'confirmed']), 'pdf');
  await given.database.pool.query(`update documents set document_date = '2020-01-01', confirmed_fields = '{document_date}' where id = $1`, [
    id,
  ]);
  t.is((await admin.post(`/api/documents/${id}/retry-ocr`, {})).status, 200);
  t.like(await admin.waitForEnd(id), { status: 'completed', document_date: '2020-01-01', has_einvoice: true });
  const { rows } = await given.database.pool.query('select count(*)::int as count from document_einvoices where document_id = $1', [id]);
  t.deepEqual(rows, [{ count: 1 }]);

  const plain = await processed(admin, makePdf([{ lines: ['a letter'] }], [{ name: 'order-x.xml', bytes: Buffer.from(ciiXml()) }]), 'pdf');
  t.like(plain, { status: 'completed', has_einvoice: false });
  for (const path of ['', '/view', '/attachments/1']) {
    const { status, body } = await admin.get(`/api/documents/${plain.id}/einvoice${path}`);
    t.is(status, 404);
    t.like(body['error'], { code: 'EINVOICE_NOT_FOUND' });
  }
});

test('what pages and data say differently is told', async (t) => {
  const { admin } = t.context;
  const printed = [
    'Acme Ltd',
    'Invoice number: 2026-7',
    'Invoice date: 14.03.2026',
    'Total amount: 1.119,00 EUR',
    'IBAN: DE02 1203 0000 0000 2020 51',
  ];
  const { id } = await processed(admin, zugferd(ciiXml(), printed), 'pdf');
  const { differences } = await readEinvoice(admin, id);
  t.deepEqual(differences, [
    { field: 'grand_total', xml: '119.00', page: '1119.00' },
    { field: 'payable', xml: '119.00', page: '1119.00' },
    { field: 'seller.iban', xml: 'DE75512108001245126199', page: 'DE02120300000000202051' },
  ]);
});

test('rules that an invoice breaks are listed; of ZUGFeRD 1.0 only the sums count', async (t) => {
  const { admin } = t.context;
  const wrong = await processed(admin, ciiXml({ taxTotal: '<ram:TaxTotalAmount currencyID="EUR">20.00</ram:TaxTotalAmount>' }), 'xml');
  const { is_valid: isValid, violations } = await readEinvoice(admin, wrong.id);
  t.false(isValid);
  t.true(violations.some(({ code }) => code === 'BR-CO-14'));
  const first = await processed(admin, ciiXml({}, 'first'), 'xml');
  t.like(await readEinvoice(admin, first.id), { rules: 'sums', is_valid: true, violations: [] });
  const unsound = await processed(
    admin,
    ciiXml({ taxTotal: '<ram:TaxTotalAmount currencyID="EUR">20.00</ram:TaxTotalAmount>' }, 'first'),
    'xml',
  );
  t.like(await readEinvoice(admin, unsound.id), { rules: 'sums', is_valid: false });
});

test('XML that is no invoice is refused with the reason, also under the name of an invoice', async (t) => {
  const { admin } = t.context;
  for (const xml of [
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    '<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>',
    '<Invoice>of no namespace</Invoice>',
    'no XML at all',
  ]) {
    const { status, body } = await admin.upload({ name: 'invoice.xml', bytes: bytesOf(xml) });
    t.is(status, 400, xml);
    t.like(body['error'], { code: 'VALIDATION_ERROR', details: { reason: 'not_einvoice' } });
  }
  const { body } = await admin.upload({ name: 'invoice.xml', bytes: bytesOf(makePdf([{ lines: ['a page'] }])) });
  t.like(body['error'], { details: { reason: 'type_mismatch' } });
});

test('hostile XML is refused or fails at once, fetches nothing and harms nobody', async (t) => {
  t.timeout(240_000);
  const { admin, given } = t.context;
  await using probes = await listenForProbes();
  const workers = await given.service.processIds('ocr-worker');
  const ends: Record<string, string> = {};
  for (const [name, { make }] of Object.entries(HOSTILE)) {
    const bytes = new Uint8Array(Buffer.concat(Array.from(make(), (piece) => Buffer.from(piece))));
    const { status, body } = await admin.upload({ name: 'hostile.xml', bytes });
    ends[name] = status === 201 ? ((await admin.waitForEnd(String(body['id']), 60_000)).error?.code ?? 'completed') : `${status}`;
  }
  t.false(Object.values(ends).includes('completed'), JSON.stringify(ends));
  t.like(ends, {
    'reads a file through an entity': 'unsafe_xml',
    'has a document type elsewhere': 'unsafe_xml',
    'has entities that grow without end': 'unsafe_xml',
    'has an attribute of 50 MB': '400',
    'has a text of 50 MB': 'too_large',
    'is cut': 'corrupt',
    'is empty': '400',
  });
  for (const name of ['reads a file through an entity', 'has a document type elsewhere', 'has entities that grow without end', 'is cut']) {
    const xml = Array.from(HOSTILE[name]?.make() ?? []).join('');
    const document = await processed(admin, zugferd(xml, ['a page with hostile XML', name]), 'pdf');
    t.like(document, { status: 'completed', has_einvoice: true }, name);
    for (const path of ['', '/view']) {
      const { status, body } = await admin.get(`/api/documents/${document.id}/einvoice${path}`);
      t.is(status, 404);
      t.like(body['error'], {
        code: 'NOT_FOUND',
        details: { reason: 'einvoice_unreadable', problem: name === 'is cut' ? 'truncated' : 'doctype_refused' },
      });
    }
  }
  t.deepEqual(probes.calls, []);
  t.deepEqual(await given.service.processIds('ocr-worker'), workers, 'the worker has lived through all of them');
});
