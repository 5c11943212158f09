import { ArchiveNames } from '@sheaf/api/testing';
import test from 'ava';

const namesOf = (...filenames: string[]): string[] => {
  const names = new ArchiveNames();
  return filenames.map((filename) => names.add(filename));
};

test('names that are equal, also but for their case, are told apart by a number before the extension', (t) => {
  t.deepEqual(namesOf('scan.pdf', 'scan.pdf', 'Scan.PDF', 'scan (2).pdf', 'scan.pdf'), [
    'scan.pdf',
    'scan (2).pdf',
    'Scan (3).PDF',
    'scan (2) (2).pdf',
    'scan (4).pdf',
  ]);
});

test('a name leads nowhere and hides nothing', (t) => {
  t.deepEqual(
    namesOf('../../etc/passwd', '..', '', 'C:\\temp\\a.txt', 'invoice\u202Efdp.exe', 'a\u2066b\u2069\u0000\n.txt', '.profile', 'a:b?.txt'),
    ['_.._etc_passwd', 'document', 'document (2)', 'C__temp_a.txt', 'invoicefdp.exe', 'ab.txt', 'document.profile', 'a_b_.txt'],
  );
});

test('letters of any language stay, and a long name keeps its extension', (t) => {
  t.deepEqual(namesOf('Übersicht 2026 – Größe.pdf', '請求書.pdf', '📄 🇫🇷.txt'), ['Übersicht 2026 – Größe.pdf', '請求書.pdf', '📄 🇫🇷.txt']);
  const [long = '', second = ''] = namesOf(`${'ä'.repeat(300)}.pdf`, `${'ä'.repeat(300)}.pdf`);
  t.true(Buffer.byteLength(long) <= 240);
  t.true(long.endsWith('ä.pdf'));
  t.true(second.endsWith('ä (2).pdf'));
});
