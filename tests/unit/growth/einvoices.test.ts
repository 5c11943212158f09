import { detectEinvoice, EinvoiceError, einvoiceText, readEinvoice, renderEinvoiceHtml, validateEinvoice } from '@sheaf/einvoice';
import test from 'ava';
import { growthOf, MAX_LINEAR_GROWTH } from '../../support/growth.ts';
import { ublLine, ublXml } from '../einvoice/ubl-xml.ts';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const UNLIMITED = {
  maxBytes: NO_LIMIT,
  maxElements: NO_LIMIT,
  maxDepth: 64, // namespaces are looked for through all open elements
  maxLines: NO_LIMIT,
  maxTextChars: NO_LIMIT,
  maxAttachmentChars: NO_LIMIT,
  maxTagChars: NO_LIMIT,
  maxAttributes: NO_LIMIT,
  maxAttachmentBytes: NO_LIMIT,
};

const work = async (xml: Buffer): Promise<void> => {
  detectEinvoice(xml);
  try {
    const invoice = await readEinvoice(xml, UNLIMITED);
    validateEinvoice(invoice);
    renderEinvoiceHtml(invoice, 'en');
    einvoiceText(invoice);
  } catch (error) {
    if (!(error instanceof EinvoiceError)) throw error;
  }
};

const times = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length));

const charge = '<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:Amount>1</cbc:Amount></cac:AllowanceCharge>';
const attached = (base64: string): string =>
  `<cac:AdditionalDocumentReference><cbc:ID>A</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="a.csv">${base64}</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`;
const subtotal = (n: number): string =>
  `<cac:TaxSubtotal><cbc:TaxableAmount>1</cbc:TaxableAmount><cbc:TaxAmount>1</cbc:TaxAmount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>${n}</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal>`;

const CASES: Readonly<Record<string, (size: number) => string>> = {
  lines: (size) => ublXml({ lines: times(ublLine('Invoice'), size) }),
  notes: (size) => ublXml({ head: times('<cbc:Note>a</cbc:Note>', size) }),
  'allowances and charges': (size) => ublXml({ adjustments: times(charge, size) }),
  'VAT breakdowns of many rates': (size) =>
    ublXml({ taxes: `<cac:TaxTotal>${Array.from({ length: Math.ceil(size / 200) }, (_, n) => subtotal(n)).join('')}</cac:TaxTotal>` }),
  'a long text': (size) => ublXml({ sellerName: 'x'.repeat(size) }),
  'white space': (size) => ublXml({ sellerName: ' '.repeat(size) }),
  'references to characters': (size) => ublXml({ sellerName: times('&amp;', size) }),
  'an identifier of an account': (size) => ublXml({ payment: times('<cac:PaymentMeans/>', 20) + times(' ', size) }),
  'elements inside each other': (size) => ublXml({ lines: times('<cac:Line>', size) }),
  'a name': (size) => ublXml({ lines: `<${'x'.repeat(size)}/>` }),
  'an attachment': (size) => ublXml({ head: attached('QUJD'.repeat(Math.ceil(size / 4))) }),
  'one attribute': (size) => ublXml({ rootAttributes: ` a="${'x'.repeat(size)}` }),
  'many attributes': (size) => ublXml({ rootAttributes: Array.from({ length: Math.ceil(size / 8) }, (_, n) => ` a${n}=""`).join('') }),
  'comments that never end': (size) => ublXml({ beforeRoot: times('<!--', size) }),
  'a document type that never ends': (size) => ublXml({ beforeRoot: `<!DOCTYPE x [${times('<!ENTITY a "b">', size)}` }),
  'an amount': (size) => ublXml({ totals: `<cbc:PayableAmount>${'9'.repeat(size)}</cbc:PayableAmount>` }),
};

for (const [what, make] of Object.entries(CASES)) {
  test.serial(`an e-invoice takes time in proportion to its length: ${what}`, async (t) => {
    t.true((await growthOf((size) => Buffer.from(make(size)), work, 10_000)) <= MAX_LINEAR_GROWTH);
  });
}
