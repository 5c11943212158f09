import { detectEinvoice, type Invoice, readEinvoice, validateEinvoice } from '@sheaf/einvoice';
import test from 'ava';
import { ciiLine, ciiXml } from './cii-xml.ts';
import { ublLine, ublXml } from './ubl-xml.ts';

const read = (xml: string): Promise<Invoice> => readEinvoice(Buffer.from(xml));

const factsOf = ({ seller, buyer, totals, ...invoice }: Invoice) => ({
  number: invoice.number,
  typeCode: invoice.typeCode,
  issueDate: invoice.issueDate,
  dueDate: invoice.dueDate,
  currency: invoice.currency,
  seller: [seller.name, seller.vatId, seller.iban],
  buyer: [buyer.name, buyer.vatId],
  totals: [totals.net, totals.tax, totals.grandTotal, totals.payable],
  line: invoice.lines.map(({ id, name, netAmount, tax }) => [id, name, netAmount, tax.category, tax.rate]),
});

const FACTS = {
  number: '2026-7',
  typeCode: '380',
  issueDate: '2026-03-14',
  dueDate: '2026-04-13',
  currency: 'EUR',
  seller: ['Acme Ltd', 'DE123456789', 'DE75512108001245126199'],
  buyer: ['Buyer & Sons', 'DE987654321'],
  totals: ['100.00', '19.00', '119.00', '119.00'],
  line: [['1', 'Paper', '100.00', 'S', '19.00']],
};

for (const [what, xml, document] of [
  ['a UBL invoice', ublXml(), 'Invoice'],
  ['a Cross Industry Invoice', ciiXml(), 'CrossIndustryInvoice'],
  ['a ZUGFeRD 1.0 invoice', ciiXml({}, 'first'), 'ZUGFeRD 1'],
] as const) {
  test(`${what} is detected, and gives the facts that it holds`, async (t) => {
    t.is(detectEinvoice(Buffer.from(xml))?.document, document);
    const invoice = await read(xml);
    t.is(invoice.document, document);
    t.deepEqual(factsOf(invoice), FACTS);
    t.deepEqual(validateEinvoice(invoice), []);
  });
}

test('a credit note gives its type, its due date and its lines', async (t) => {
  const payment =
    '<cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode></cac:PaymentMeans><cac:PaymentMeans><cbc:PaymentMeansCode>97</cbc:PaymentMeansCode><cbc:PaymentDueDate>2026-05-01</cbc:PaymentDueDate></cac:PaymentMeans>';
  const invoice = await read(ublXml({ payment }, 'CreditNote'));
  t.is(invoice.document, 'CreditNote');
  t.is(invoice.typeCode, '381');
  t.is(invoice.dueDate, '2026-05-01');
  t.deepEqual(factsOf(invoice).line, FACTS.line);
  t.is(invoice.lines[0]?.quantity, '2');
});

for (const [id, profile] of [
  ['urn:factur-x.eu:1p0:minimum', 'MINIMUM'],
  ['urn:factur-x.eu:1p0:basicwl', 'BASIC WL'],
  ['urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic', 'BASIC'],
  ['urn:cen.eu:en16931:2017', 'EN16931'],
  ['urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended', 'EXTENDED'],
  ['urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0', 'XRECHNUNG'],
  ['urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0', 'PEPPOL-BIS-3'],
  ['urn:ferd:CrossIndustryDocument:invoice:1p0:comfort', 'COMFORT'],
  ['urn:example.com:own', undefined],
] as const) {
  test(`the profile of ${id} is ${profile ?? 'unknown'}`, async (t) => {
    const invoice = await read(ciiXml({ profileId: id }));
    t.is(invoice.profile, profile);
    t.is(invoice.profileId, id);
  });
}

test('of several accounts the first that stands where an IBAN belongs is the one to pay to', async (t) => {
  const means = (account: string): string =>
    `<ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>30</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount>${account}</ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>`;
  const other = means('<ram:ProprietaryID>DE79000000001234567890</ram:ProprietaryID>');
  const iban = means('<ram:IBANID>de16 0000 0000 2345 6789 01</ram:IBANID>');
  t.is((await read(ciiXml({ payment: other + iban }))).seller.iban, 'DE16000000002345678901');
  t.is((await read(ciiXml({ payment: other }))).seller.iban, 'DE79000000001234567890');
  t.is((await read(ciiXml({ payment: means('<ram:ProprietaryID>5560-1234</ram:ProprietaryID>') }))).seller.iban, undefined);
});

test('what a document does not have is undefined, and empty elements count as missing', async (t) => {
  const invoice = await read(
    ublXml({ dueDate: '', head: '<cbc:Note> </cbc:Note>', payment: '', taxes: '', totals: '', lines: '', references: '' }),
  );
  t.is(invoice.dueDate, undefined);
  t.is(invoice.seller.iban, undefined);
  t.is(invoice.totals.grandTotal, undefined);
  t.deepEqual(invoice.notes, []);
  t.deepEqual(invoice.lines, []);
});

test('VAT in another currency is kept apart from that of the invoice', async (t) => {
  const total =
    '<ram:TaxTotalAmount currencyID="DKK">141.55</ram:TaxTotalAmount><ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount>';
  const payment = '<ram:TaxCurrencyCode>DKK</ram:TaxCurrencyCode>';
  const cii = await read(ciiXml({ taxTotal: total, payment }));
  t.deepEqual([cii.totals.tax, cii.totals.taxInTaxCurrency], ['19.00', '141.55']);
  const taxes =
    '<cac:TaxTotal><cbc:TaxAmount currencyID="DKK">141.55</cbc:TaxAmount></cac:TaxTotal><cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>';
  const ubl = await read(ublXml({ taxes, references: '<cbc:TaxCurrencyCode>DKK</cbc:TaxCurrencyCode>' }));
  t.deepEqual([ubl.totals.tax, ubl.totals.taxInTaxCurrency], ['19.00', '141.55']);
});

test('allowances and charges of the document keep their sign, rate and reason', async (t) => {
  const one = (isCharge: boolean): string =>
    `<cac:AllowanceCharge><cbc:ChargeIndicator>${isCharge}</cbc:ChargeIndicator><cbc:AllowanceChargeReason>Freight</cbc:AllowanceChargeReason><cbc:Amount currencyID="EUR">-1.50</cbc:Amount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>7</cbc:Percent></cac:TaxCategory></cac:AllowanceCharge>`;
  const { adjustments } = await read(ublXml({ adjustments: one(false) + one(true) }));
  t.deepEqual(
    adjustments.map(({ isCharge, amount, reason, tax }) => [isCharge, amount, reason, tax.rate]),
    [
      [false, '-1.50', 'Freight', '7'],
      [true, '-1.50', 'Freight', '7'],
    ],
  );
});

test('the freight of ZUGFeRD is a charge', async (t) => {
  const adjustments =
    '<ram:SpecifiedLogisticsServiceCharge><ram:Description>Freight</ram:Description><ram:AppliedAmount>5.80</ram:AppliedAmount><ram:AppliedTradeTax><ram:CategoryCode>S</ram:CategoryCode><ram:ApplicablePercent>7</ram:ApplicablePercent></ram:AppliedTradeTax></ram:SpecifiedLogisticsServiceCharge>';
  const invoice = await read(ciiXml({ adjustments }, 'first'));
  t.like(invoice.adjustments[0], { isCharge: true, amount: '5.80', reason: 'Freight', tax: { rate: '7' } });
});

test('lines that only group others are kept, and their amounts are not summed up', async (t) => {
  const group = ciiLine('current', '2', '<ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>');
  const invoice = await read(ciiXml({ lines: ciiLine() + group }));
  t.is(invoice.lines.length, 2);
  t.deepEqual(validateEinvoice(invoice), []);
});

test('an embedded attachment comes with its name, type, size and bytes', async (t) => {
  const attachment = (name: string): string =>
    `<cac:AdditionalDocumentReference><cbc:ID>A1</cbc:ID><cbc:DocumentDescription>Timesheet</cbc:DocumentDescription><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="${name}">aG91cnM7\n OA==</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`;
  const { attachments } = await read(ublXml({ references: attachment('hours.csv') + attachment('..\\a/../../etc/passwd') }));
  t.like(attachments[0], { reference: 'A1', description: 'Timesheet', name: 'hours.csv', mimeType: 'text/csv', size: 7 });
  t.is(Buffer.from(attachments[0]?.bytes ?? []).toString(), 'hours;8');
  t.is(attachments[1]?.name, 'passwd');
});

test('an attachment beyond the limit is listed without its bytes', async (t) => {
  const agreement =
    '<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>A1</ram:IssuerAssignedID><ram:TypeCode>916</ram:TypeCode><ram:AttachmentBinaryObject mimeCode="text/csv" filename="hours.csv">aG91cnM7OA==</ram:AttachmentBinaryObject></ram:AdditionalReferencedDocument>';
  const { attachments } = await readEinvoice(Buffer.from(ciiXml({ agreement })), { maxAttachmentBytes: 6 });
  t.like(attachments[0], { name: 'hours.csv', size: 7, bytes: undefined });
});

test('a document that arrives byte by byte is read like one that is there at once', async (t) => {
  async function* byteByByte(bytes: Buffer): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < bytes.length; i += 1) yield bytes.subarray(i, i + 1);
  }
  const xml = ublXml({ sellerName: 'Müller ☂ GmbH' });
  t.deepEqual(await readEinvoice(byteByByte(Buffer.from(xml))), await read(xml));
});

test('a document is detected behind a licence text before its root', async (t) => {
  const xml = ublXml({ beforeRoot: `<!-- ${'<Invoice> & licence '.repeat(1_000)} --><?style sheet?>` });
  t.is(detectEinvoice(Buffer.from(xml))?.syntax, 'UBL');
  t.is((await read(xml)).number, '2026-7');
});

test('other XML, and other bytes, are no e-invoice', async (t) => {
  for (const other of [
    '',
    'Invoice',
    '<Invoice/>',
    '<Invoice xmlns="urn:example:Invoice-2"/>',
    '<html><body/></html>',
    '%PDF-1.7',
    '\0\0\0',
  ]) {
    t.is(detectEinvoice(Buffer.from(other)), undefined);
    await t.throwsAsync(read(other), { name: 'EinvoiceError' });
  }
});

test('lines keep their order', async (t) => {
  const lines = Array.from({ length: 3 }, (_, i) => ublLine('Invoice', String(i), `Item ${i}`)).join('');
  t.deepEqual(
    (await read(ublXml({ lines }))).lines.map(({ name }) => name),
    ['Item 0', 'Item 1', 'Item 2'],
  );
});
