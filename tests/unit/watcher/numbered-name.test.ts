import { numberedName } from '@sheaf/watcher/testing';
import test from 'ava';

const numbered = (name: string, number: number): string => numberedName(Buffer.from(name), number).toString('utf8');

test('the number goes before the extension', (t) => {
  t.is(numbered('scan.pdf', 0), 'scan.pdf');
  t.is(numbered('scan.pdf', 1), 'scan-1.pdf');
  t.is(numbered('scan.2026.pdf', 12), 'scan.2026-12.pdf');
  t.is(numbered('scan-1.pdf', 1), 'scan-1-1.pdf');
});

test('a name without an extension, hidden, or with a dot far from its end gets the number at its end', (t) => {
  t.is(numbered('scan', 1), 'scan-1');
  t.is(numbered('.pdf', 1), '.pdf-1');
  t.is(numbered('scan.', 1), 'scan-1.');
  t.is(numbered(`a.${'b'.repeat(40)}`, 1), `a.${'b'.repeat(40)}-1`);
});

test('what would be too long loses whole characters of its stem', (t) => {
  t.is(numbered(`${'a'.repeat(251)}.pdf`, 1), `${'a'.repeat(249)}-1.pdf`);
  t.is(numbered(`${'ü'.repeat(125)}.pdf`, 10), `${'ü'.repeat(124)}-10.pdf`);
  t.is(numbered(`${'📎'.repeat(62)}.pdf`, 1), `${'📎'.repeat(62)}-1.pdf`);
  t.is(numbered(`${'📎'.repeat(62)}.pdf`, 1_000), `${'📎'.repeat(61)}-1000.pdf`);
  for (const number of [1, 99, 12_345]) t.true(Buffer.byteLength(numbered('é'.repeat(127), number)) <= 255);
});

test('bytes that are no UTF-8 stay bytes', (t) => {
  const name = Buffer.from([0xff, 0xfe, 0x2e, 0x70]);
  t.deepEqual(numberedName(name, 1), Buffer.from([0xff, 0xfe, 0x2d, 0x31, 0x2e, 0x70]));
});
