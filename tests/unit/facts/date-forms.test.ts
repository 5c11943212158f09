import test from 'ava';
import { candidatesOf, valueOf } from './facts-of.ts';

const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  en: ['Invoice date: 3 May 2024', 'May 3rd, 2024', '03-MAY-24', '3rd of May 2024', 'on 2024 May 3'],
  de: ['Berlin, den 3. Mai 2024', 'Rechnungsdatum 03.05.2024', '3.5.24', '3.Mai 2024', 'vom 03. 05. 2024'],
  fr: ['Fait le 3 mai 2024', 'Date de facture : 03/05/2024', '3 mai 24'],
  es: ['Fecha de emisión: 3 de mayo de 2024', '3 may. 2024', '03/05/2024'],
  it: ['Milano, 3 maggio 2024', 'Data fattura 03/05/2024', '3 mag 2024'],
  nl: ['Factuurdatum: 3 mei 2024', '03-05-2024', '3-5-2024'],
  pt: ['Lisboa, 3 de maio de 2024', 'Data de emissão: 03/05/2024', '3 mai. 2024'],
  pl: ['Warszawa, dnia 3 maja 2024 r.', 'Data wystawienia: 03.05.2024', '3 maj 2024'],
};

for (const [language, texts] of Object.entries(LANGUAGES)) {
  test(`a date is found as people who write ${language} write it`, (t) => {
    for (const text of texts) t.is(valueOf('document_date', text, { languages: [language] }), '2024-05-03', text);
  });
}

const MONTHS: Readonly<Record<string, string>> = {
  en: 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec',
  de: 'Jänner Februar März April Mai Juni Juli August Sept. Okt. Nov. Dez.',
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  es: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  it: 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  nl: 'januari februari maart april mei juni juli augustus september oktober november december',
  pt: 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
  pl: 'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia',
};

for (const [language, months] of Object.entries(MONTHS)) {
  test(`all months have their names in ${language}`, (t) => {
    months.split(' ').forEach((month, at) => {
      const expected = `2024-${String(at + 1).padStart(2, '0')}-17`;
      t.is(valueOf('document_date', `17 ${month} 2024`, { languages: [language] }), expected, month);
    });
  });
}

test('a name that two languages give to different months is read in that of the document', (t) => {
  t.is(valueOf('document_date', '5 listopad 2022', { languages: ['pol'] }), '2022-11-05');
  t.is(valueOf('document_date', '5 listopad 2022', { languages: ['hrv'] }), '2022-10-05');
});

test('a year of two digits is the last one that is not later than next year', (t) => {
  t.is(valueOf('document_date', '3 May 27'), '2027-05-03');
  t.is(valueOf('document_date', '3 May 28'), '1928-05-03');
  t.is(valueOf('document_date', '03.05.98', { languages: ['de'] }), '1998-05-03');
  t.is(valueOf('document_date', '03.05.24', { languages: ['de'] }), '2024-05-03');
});

test('a date a year ahead is one, and a later one is none', (t) => {
  t.is(valueOf('document_date', '2027-11-25'), '2027-11-25');
  t.is(valueOf('document_date', '2027-11-26'), undefined);
  t.is(valueOf('document_date', '2027-11-26', { now: '2027-01-01' }), '2027-11-26');
});

test('a day that does not exist is no date, and no month either', (t) => {
  for (const text of ['30. Februar 1990', '31/04/2024', '2023-02-29', '32/13/2024', '00.05.2024', '01-07-0590']) {
    t.deepEqual(candidatesOf('document_date', text), [], text);
  }
  t.is(valueOf('document_date', '2024-02-29'), '2024-02-29');
});

test('digits without separators are a date after a word for it only', (t) => {
  t.is(valueOf('document_date', 'Date: 20240503'), '2024-05-03');
  t.is(valueOf('document_date', 'Datum 03052024', { languages: ['de'] }), '2024-05-03');
  t.is(valueOf('document_date', 'Order 20240503'), undefined);
});

test('parts of longer numbers are no dates', (t) => {
  for (const text of ['Tel. 03-05-24-17', 'version 1.2.10.4', '030-1.2.2024.5', 'AT87 4534 1234 1234 5678', '130218']) {
    t.deepEqual(candidatesOf('document_date', text), [], text);
  }
});

test('a month without a day is its first day, when there is nothing better', (t) => {
  t.is(valueOf('document_date', 'März 2019', { languages: ['de'] }), '2019-03-01');
  t.is(valueOf('document_date', 'März 2019\n12.04.2019', { languages: ['de'] }), '2019-04-12');
});

test('the date in the name of a file counts where the caller says in which order', (t) => {
  const fileName = { name: 'scan_20230102_7.pdf', dateOrder: 'year_first' } as const;
  t.is(valueOf('document_date', 'Date: 2022-12-25', { fileName }), '2023-01-02');
  t.is(valueOf('document_date', 'Date: 2022-12-25'), '2022-12-25');
});
