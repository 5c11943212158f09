import { scanIbans, splitIntoAtoms } from '@sheaf/facts/testing';
import test from 'ava';
import { candidatesOf, valueOf } from './facts-of.ts';

test('an IBAN is found with and without spaces and with its label before it', (t) => {
  for (const text of [
    'DE89 3704 0044 0532 0130 00',
    'DE89370400440532013000',
    'IBAN:DE89370400440532013000',
    'IBANDE89 3704 0044 0532 0130 00 BIC X',
  ])
    t.is(valueOf('iban', text), 'DE89370400440532013000', text);
  t.is(valueOf('iban', 'gb29 nwbk 6016 1331 9268 19'), 'GB29NWBK60161331926819');
});

test('a number whose checksum is wrong is no IBAN', (t) => {
  t.is(valueOf('iban', 'DE88 3704 0044 0532 0130 00'), undefined);
  t.is(valueOf('iban', 'DE89 3704 0044 0532 0130 0'), undefined);
  t.is(valueOf('iban', 'XX89 3704 0044 0532 0130 00'), undefined);
});

test('all IBANs are candidates, the first one first', (t) => {
  t.deepEqual(candidatesOf('iban', 'DE89370400440532013000\nGB29NWBK60161331926819'), ['DE89370400440532013000', 'GB29NWBK60161331926819']);
});

test('the place of an IBAN is that of its characters', (t) => {
  const [mention] = scanIbans(splitIntoAtoms('pay to IBANDE89 3704 0044 0532 0130 00.'));
  t.deepEqual([mention?.start, mention?.end], [11, 38]);
});

const VAT_IDS: Readonly<Record<string, string>> = {
  'USt-IdNr. DE 232 446 240': 'DE232446240',
  'BTW NL810433941B01': 'NL810433941B01',
  'TVA F63530848134 FR63530848134': 'FR63530848134',
  ATU12345678: 'ATU12345678',
  'P.IVA IT12345678901': 'IT12345678901',
  'NIF ESB12345674': 'ESB12345674',
  'UID CHE-123.456.789 MWST': 'CHE123456789',
  'NIP 526-104-08-28': '5261040828',
  'GST ID : 002017394688': '002017394688',
  'VAT Reg No GB 123 4567 89': 'GB123456789',
};

test('VAT ids are found by their countries and by their labels', (t) => {
  for (const [text, id] of Object.entries(VAT_IDS)) t.is(valueOf('vat_id', text), id, text);
});

test('the VAT id of the receiver comes last', (t) => {
  t.is(valueOf('vat_id', 'Your VAT no: NL003335996B01\nVAT no: NL810433941B01'), 'NL810433941B01');
});

test('a number without label and country is no VAT id', (t) => {
  t.is(valueOf('vat_id', 'Tel. 03 4021 0276'), undefined);
  t.is(valueOf('vat_id', 'DE 12345'), undefined);
});

const INVOICES: Readonly<Record<string, string>> = {
  'Invoice no: INV/2023/03-0008': 'INV/2023/03-0008',
  'Rechnungsnr. 30064443': '30064443',
  'Facture n° 2022089083': '2022089083',
  'Factura nº A-2024/17': 'A-2024/17',
  'Fattura n. 123/A': '123/A',
  'Factuurnummer: 992288600': '992288600',
  'Fatura n.º FT 2024/88': '2024/88',
  'Faktura VAT nr FV/12/2024': 'FV/12/2024',
  'Invoice # #BLR_WFLD2015': '#BLR_WFLD2015',
  'DOC NO. : CS00012441': 'CS00012441',
  'Rechnung      Kunde\nVF1005193       K-77': 'VF1005193',
};

test('invoice numbers are found beside and under their labels', (t) => {
  for (const [text, number] of Object.entries(INVOICES)) t.is(valueOf('invoice_number', text), number, text);
});

const CUSTOMERS: Readonly<Record<string, string>> = {
  'Customer number: 6669263': '6669263',
  'Kundennr. 47774': '47774',
  'Kundennummer: 4711 0815': '4711 0815',
  'Référence client : 6 012 345 678': '6 012 345 678',
  'Customer no 4711 12/03/2025': '4711',
  'N° client : C-9921': 'C-9921',
  'Número de cliente: 5512': '5512',
  'Codice cliente 88123': '88123',
  'Klantnummer: 6669263': '6669263',
  'Numer klienta: 10-22': '10-22',
};

test('customer numbers are found in several languages', (t) => {
  for (const [text, number] of Object.entries(CUSTOMERS)) t.is(valueOf('customer_number', text), number, text);
});

test('a number without a label, and a label without a number, are nothing', (t) => {
  t.is(valueOf('invoice_number', 'Order 4711 and 0815'), undefined);
  t.is(valueOf('invoice_number', 'Invoice number'), undefined);
});
