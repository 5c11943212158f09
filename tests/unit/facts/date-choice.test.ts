import type { Correspondent } from '@sheaf/facts';
import test from 'ava';
import { candidatesOf, factOf, valueOf } from './facts-of.ts';

test('the label says which date is the date of the document', (t) => {
  const text = 'Order date: 01/02/2024\nInvoice date: 13/02/2024\nDue date: 14/03/2024\nDelivery date: 12/02/2024';
  t.is(valueOf('document_date', text), '2024-02-13');
  t.is(valueOf('due_date', text), '2024-03-14');
  t.is(valueOf('service_date', text), '2024-02-12');
});

const LABELS: Readonly<Record<string, readonly [document: string, due: string, service: string]>> = {
  en: ['Invoice date', 'Due date', 'Date of supply'],
  de: ['Rechnungsdatum', 'Fällig am', 'Leistungsdatum'],
  fr: ["Date d'émission", "Date d'échéance", 'Date de livraison'],
  es: ['Fecha de factura', 'Fecha de vencimiento', 'Fecha de entrega'],
  it: ['Data fattura', 'Data di scadenza', 'Data di consegna'],
  nl: ['Factuurdatum', 'Vervaldatum', 'Leverdatum'],
  pt: ['Data de emissão', 'Data de vencimento', 'Data de entrega'],
  pl: ['Data wystawienia', 'Termin płatności', 'Data sprzedaży'],
};

for (const [language, [document, due, service]] of Object.entries(LABELS)) {
  test(`labels of dates are known in ${language}`, (t) => {
    const text = `${due}: 28.06.2024\n${service}: 30.04.2024\n${document}: 03.05.2024`;
    t.is(valueOf('document_date', text, { languages: [language] }), '2024-05-03');
    t.is(valueOf('due_date', text, { languages: [language] }), '2024-06-28');
    t.is(valueOf('service_date', text, { languages: [language] }), '2024-04-30');
  });
}

const BIRTHS = [
  'Date of birth: 03/05/1984',
  'geboren am 03.05.1984',
  'Geb.-Datum: 03.05.1984',
  'né le 3 mai 1984',
  'Fecha de nacimiento: 3 de mayo de 1984',
  'nato il 3 maggio 1984',
  'Geboortedatum: 3 mei 1984',
  'Data de nascimento: 03/05/1984',
  'Data urodzenia: 03.05.1984',
];

test('a date of birth is no date of a document in any language, not even a candidate', (t) => {
  for (const text of BIRTHS) t.deepEqual(candidatesOf('document_date', text), [], text);
  t.deepEqual(candidatesOf('document_date', `${BIRTHS[0]}\nDate: 13/02/2024`), ['2024-02-13']);
});

test('a date behind the number of an invoice is that of the invoice', (t) => {
  t.like(factOf('document_date', 'Facture n° 123 du 12/03/2025', { languages: ['fr'] }), { value: '2025-03-12', rule: 'date.document' });
  t.like(factOf('document_date', 'Fattura n. 45/2025 del 10/03/2025', { languages: ['it'] }), { rule: 'date.document' });
});

test('two dates with a dash between them are when something was supplied', (t) => {
  const text = '12.02.2024\n01.01.2024 - 31.01.2024';
  t.is(valueOf('document_date', text, { languages: ['de'] }), '2024-02-12');
  t.is(valueOf('service_date', text, { languages: ['de'] }), '2024-01-01');
});

test('the head of a column is the label of what stands under it', (t) => {
  const text = 'Order      Due date       Invoice date\n4711       22-09-2022     08-09-2022';
  t.is(valueOf('document_date', text), '2022-09-08');
  t.is(valueOf('due_date', text), '2022-09-22');
});

test('an ambiguous date is marked, and its other meaning can be chosen', (t) => {
  const fact = factOf('document_date', 'Date: 03/04/2025');
  t.like(fact, { value: '2025-04-03', isAmbiguous: true });
  t.deepEqual(candidatesOf('document_date', 'Date: 03/04/2025'), ['2025-04-03', '2025-03-04']);
  t.like(factOf('document_date', 'Date: 23/04/2025'), { value: '2025-04-23', isAmbiguous: false });
  t.like(factOf('document_date', 'Date: 04/04/2025'), { value: '2025-04-04', isAmbiguous: false });
});

test('dots put the day first, so such a date is not ambiguous', (t) => {
  t.like(factOf('document_date', '03.04.2025'), { value: '2025-04-03', isAmbiguous: false });
});

test('another date of the page decides in which order an ambiguous one is read', (t) => {
  t.like(factOf('document_date', 'Date: 03/04/2025\nDue date: 03/28/2025'), { value: '2025-03-04', isAmbiguous: true });
  t.like(factOf('document_date', 'Date: 03/04/2025\nDue date: 28/04/2025'), { value: '2025-04-03', isAmbiguous: true });
});

const acme: Correspondent = { id: '7', name: 'Acme Tools Inc.', dateOrder: 'month_first' };

test("the sender's earlier documents decide where the page does not, and the page before them", (t) => {
  const given = { correspondents: [acme] };
  t.is(valueOf('document_date', 'Acme Tools Inc.\nDate: 03/04/2025', given), '2025-03-04');
  t.is(valueOf('document_date', 'Acme Tools Inc.\nDate: 03/04/2025\nDue date: 28/04/2025', given), '2025-04-03');
  t.is(valueOf('document_date', 'Somebody else\nDate: 03/04/2025', given), '2025-04-03');
});

test('the preferred order decides last, and the surer the order the higher the confidence', (t) => {
  const text = 'Acme Tools Inc.\nDate: 03/04/2025';
  t.is(valueOf('document_date', text, { preferredDateOrder: 'month_first' }), '2025-03-04');
  t.is(valueOf('document_date', text, { preferredDateOrder: 'day_first', correspondents: [acme] }), '2025-03-04');
  const confidenceOf = (given: object) => factOf('document_date', text, given)?.confidence ?? 0;
  t.true(confidenceOf({ correspondents: [acme] }) > confidenceOf({ preferredDateOrder: 'day_first' }));
  t.true(confidenceOf({ preferredDateOrder: 'day_first' }) > confidenceOf({}));
});

test('a date to ignore is none', (t) => {
  t.deepEqual(candidatesOf('document_date', '13.02.2018 und 14.02.2018', { ignoredDates: ['2018-02-13'] }), ['2018-02-14']);
});
