import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { ublXml } from '../../unit/einvoice/ubl-xml.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone({ ALLOWED_FILE_TYPES: 'xml' }));

const INVOICE = {
  syntax: 'UBL',
  profile: 'EN16931',
  number: '2026-7',
  type_code: '380',
  issue_date: '2026-03-14',
  due_date: null,
  currency: 'EUR',
  grand_total: '1119.00',
  payable: '1119.00',
  seller: { name: '<b>Acme</b> Ltd', trading_name: null, vat_id: 'DE123456789', iban: 'DE75512108001245126199' },
  buyer: { name: 'Buyer & Sons' },
};

test('an e-invoice is shown with its data, what is wrong with it, its attachments and its readable form', async (t) => {
  const { open, served } = t.context;
  const { pool } = served.database;
  const terms = Buffer.from('the terms').toString('base64');
  const xml = ublXml({
    references: `<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/plain" filename="terms.txt">${terms}</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`,
  });
  const { body } = await served.admin.upload({ name: 'invoice.xml', bytes: new TextEncoder().encode(xml) });
  const id = String(body['id']);
  await pool.query(
    `insert into document_einvoices (document_id, invoice, rules, violations, attachments, differences) values ($1, $2, 'en16931', $3, $4, $5)`,
    [
      id,
      INVOICE,
      JSON.stringify([{ code: 'BR-CO-10', message: 'The sum is the sum.' }]),
      JSON.stringify([{ number: 1, name: 'terms.txt', description: null, mime_type: 'text/plain', size: 9, is_embedded: true }]),
      JSON.stringify([{ field: 'seller.iban', xml: 'DE75512108001245126199', page: 'DE02120300000000202051' }]),
    ],
  );
  await pool.query(`update documents set has_einvoice = true, status = 'completed', page_count = 1 where id = $1`, [id]);

  await using web = await open();
  const { page } = web;
  await web.signIn(ADMIN);
  await web.go(`/documents/${id}`);
  const card = page.getByRole('region', { name: text('einvoice.title') });
  await card.getByText('<b>Acme</b> Ltd').waitFor();
  await card.getByText('1,119.00 EUR').first().waitFor();
  await card.getByText(text('einvoice.isInvalid'), { exact: true }).waitFor();
  await card
    .getByRole('list', { name: text('einvoice.violations') })
    .getByText('BR-CO-10')
    .waitFor();
  const warning = card.getByRole('alert').filter({ hasText: text('einvoice.differences') });
  await warning.getByText('DE02120300000000202051').waitFor();
  const frame = page.frameLocator(`iframe[title="${text('einvoice.view')}"]`);
  await frame.getByRole('heading', { name: 'Invoice 2026-7' }).waitFor();
  t.is(await page.locator('iframe').getAttribute('sandbox'), '');
  t.deepEqual(await web.flaws('document-einvoice'), []);

  const [download] = await Promise.all([page.waitForEvent('download'), card.getByRole('link', { name: 'terms.txt' }).click()]);
  t.is(download.suggestedFilename(), 'terms.txt');

  await pool.query(
    `update document_einvoices set invoice = null, rules = null, error = 'truncated', violations = '[]', differences = '[]' where document_id = $1`,
    [id],
  );
  await web.go('/documents');
  await web.go(`/documents/${id}`);
  await card.getByText(text('errors.EINVOICE_UNREADABLE', { problem: 'truncated' })).waitFor();
});
