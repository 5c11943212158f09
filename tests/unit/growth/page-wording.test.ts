import { namesAmount, namesIban, namesName, namesNumber, PageWording } from '@sheaf/ocr-worker/testing';
import test from 'ava';
import { growthOf, MAX_LINEAR_GROWTH } from '../../support/growth.ts';

const IBAN = 'DE75512108001245126199';

const look = (text: string): void => {
  const wording = new PageWording(text);
  namesAmount(wording, '1234.56');
  namesNumber(wording, 'a');
  namesName(wording, 'ab ab ab');
  namesIban(wording, IBAN);
};

const PAGES: Readonly<Record<string, (size: number) => string>> = {
  'one letter': (size) => 'a'.repeat(size),
  'white space': (size) => ' '.repeat(size),
  'combining signs': (size) => `e${'\u0301'.repeat(size)}`,
  'ligatures that become many letters': (size) => '\uFDFA'.repeat(size),
  'amounts that go on': (size) => '1,234.56'.repeat(size),
  'the beginning of a name': (size) => 'ab '.repeat(size),
  'the beginning of an IBAN': (size) => IBAN.slice(0, -1).repeat(size),
};

for (const [what, make] of Object.entries(PAGES)) {
  test.serial(`looking values up on a page takes time in proportion to it: ${what}`, async (t) => {
    t.true((await growthOf(make, look, 10_000)) <= MAX_LINEAR_GROWTH);
  });
}
