import { einvoiceText, type Invoice, readEinvoice, renderEinvoiceHtml, VIEW_LANGUAGES } from '@sheaf/einvoice';
import { LABEL_KEYS, labelOf } from '@sheaf/einvoice/testing';
import test from 'ava';
import { ublXml } from './ubl-xml.ts';

const attachment =
  '<cac:AdditionalDocumentReference><cbc:ID>A1</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="hours.csv">YQ==</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>';
const adjustments =
  '<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:AllowanceChargeReason>Freight</cbc:AllowanceChargeReason><cbc:Amount>0</cbc:Amount></cac:AllowanceCharge>';
const parties = '<cac:PayeeParty><cac:PartyName><cbc:Name>Payee Ltd</cbc:Name></cac:PartyName></cac:PayeeParty>';

const full = await readEinvoice(Buffer.from(ublXml({ references: attachment, adjustments, parties })));

/** The same with another value for every text in it. */
const replaceTexts = (value: unknown, text: string): unknown => {
  if (typeof value === 'string') return text;
  if (value instanceof Uint8Array || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => replaceTexts(one, text));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceTexts(one, text)]));
};

for (const language of VIEW_LANGUAGES) {
  test(`the view in ${language} shows parties, lines, taxes, totals, payment and attachments`, (t) => {
    const page = renderEinvoiceHtml(full, language);
    for (const text of [
      '2026-7',
      'Acme Ltd',
      'Buyer &amp; Sons',
      'Paper',
      'DE75512108001245126199',
      'Freight',
      'hours.csv',
      'Payee Ltd',
      '30 days',
    ])
      t.true(page.includes(text), text);
    t.true(page.includes(`<html lang="${language}">`));
    t.true(page.includes(labelOf('payable', language)));
  });

  test(`the view in ${language} escapes every text of the invoice`, (t) => {
    const page = renderEinvoiceHtml(replaceTexts(full, `<script src="//a">'&`) as Invoice, language);
    t.false(page.includes('<script'));
    t.true(page.includes('&lt;script src=&quot;//a&quot;&gt;&#39;&amp;'));
  });

  test(`the view in ${language} loads nothing and runs nothing`, (t) => {
    const page = renderEinvoiceHtml(full, language);
    t.notRegex(page, /<(?:script|link|img|iframe|object|embed|base|form|a)\b|\son\w+=|\b(?:src|href|action)=|url\(|@import/i);
  });
}

test('amounts and dates are written as the language does', (t) => {
  const large: Invoice = { ...full, totals: { ...full.totals, payable: '12345678901234567890.5' } };
  t.true(renderEinvoiceHtml(large, 'en').includes('12,345,678,901,234,567,890.50 EUR'));
  t.true(renderEinvoiceHtml(large, 'de').includes('12.345.678.901.234.567.890,50 EUR'));
  t.true(renderEinvoiceHtml(full, 'de').includes('14.03.2026'));
  t.true(renderEinvoiceHtml(full, 'en').includes('2026-03-14'));
});

test('a credit note is called so', async (t) => {
  const note = await readEinvoice(Buffer.from(ublXml({}, 'CreditNote')));
  t.true(renderEinvoiceHtml(note, 'en').includes('<h1>Credit note 2026-7</h1>'));
});

test('each label has a text in each language', (t) => {
  for (const key of LABEL_KEYS) for (const language of VIEW_LANGUAGES) t.not(labelOf(key, language), '');
});

test('the text for search holds what people look for', (t) => {
  const text = einvoiceText(full);
  for (const word of [
    'Invoice',
    'Rechnung',
    '2026-7',
    'Acme Ltd',
    'Acme Shop',
    'Buyer & Sons',
    'Paper',
    'White, 80 g',
    'Thank you',
    '119.00',
    'hours.csv',
  ])
    t.true(text.includes(word), word);
  t.false(text.includes('undefined'));
});
