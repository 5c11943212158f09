import {
  detectEinvoice,
  EinvoiceError,
  einvoiceText,
  type Invoice,
  readEinvoice,
  renderEinvoiceHtml,
  validateEinvoice,
} from '@sheaf/einvoice';
import { ciiDay, parseDecimal } from '@sheaf/einvoice/testing';
import test from 'ava';
import { string } from 'fast-check';
import { fuzz, mutated, spliced } from '../../support/fuzz.ts';
import { ciiXml } from '../einvoice/cii-xml.ts';
import { ublXml } from '../einvoice/ubl-xml.ts';

const SAMPLES = [ublXml(), ublXml({}, 'CreditNote'), ciiXml(), ciiXml({}, 'first')].flatMap((xml) => [
  Buffer.from(xml),
  Buffer.from(`\ufeff${xml.replace('UTF-8', 'UTF-16')}`, 'utf16le'),
]);

const readOrRefuse = async (bytes: Uint8Array): Promise<Invoice | undefined> => {
  try {
    return await readEinvoice(bytes);
  } catch (error) {
    if (error instanceof EinvoiceError) return undefined;
    throw error;
  }
};

const useInvoice = (invoice: Invoice): void => {
  validateEinvoice(invoice);
  einvoiceText(invoice);
  if (renderEinvoiceHtml(invoice, 'de').includes('<script')) throw new Error('a text is not escaped');
};

test.serial('an e-invoice with changed bytes is read or refused, and what is read can be checked and shown', async (t) => {
  await fuzz(mutated(SAMPLES), async (bytes) => {
    detectEinvoice(bytes);
    const invoice = await readOrRefuse(bytes);
    if (invoice !== undefined) useInvoice(invoice);
  });
  t.pass();
});

test.serial('an e-invoice of any elements in any order is read or refused', async (t) => {
  const pieces = [
    ...(ublXml().match(/<[^<]*/g) ?? []),
    '<cac:InvoiceLine>',
    '</cac:InvoiceLine>',
    '&lt;script&gt;',
    '<![CDATA[<script>]]>',
    '-1.005',
    '<!DOCTYPE x>',
  ];
  await fuzz(spliced(pieces), async (text) => {
    const invoice = await readOrRefuse(Buffer.from(ublXml({ lines: text })));
    if (invoice !== undefined) useInvoice(invoice);
  });
  t.pass();
});

test.serial('any text is a decimal and a day, or none', async (t) => {
  await fuzz(string({ maxLength: 60 }), (text) => {
    const decimal = parseDecimal(text);
    if (decimal !== undefined && Number.isNaN(Number(text))) throw new Error('no number is a decimal');
    const day = ciiDay(text);
    if (day !== undefined && Number.isNaN(Date.parse(day))) throw new Error('no day is in the calendar');
  });
  t.pass();
});
