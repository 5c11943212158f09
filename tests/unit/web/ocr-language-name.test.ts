import { languageRank, ocrLanguageName } from '@sheaf/web/testing';
import test from 'ava';

test('languages are called as the reader calls them; what has no name keeps its code', (t) => {
  for (const [code, en, de] of [
    ['deu', 'German', 'Deutsch'],
    ['eng', 'English', 'Englisch'],
    ['chi_sim', 'Simplified Chinese', 'Chinesisch (vereinfacht)'],
    ['srp_latn', 'Serbian (Latin)', 'Serbisch (Lateinisch)'],
    ['my_firm', 'my_firm', 'my_firm'],
    ['zzzzz', 'zzzzz', 'zzzzz'],
  ] as const) {
    t.is(ocrLanguageName(code, 'en'), en);
    t.is(ocrLanguageName(code, 'de'), de);
  }
});

test('languages of the browser come first, in its order', (t) => {
  const codes = ['chi_sim', 'eng', 'fra', 'my_firm', 'deu'];
  const sorted = (tags: readonly string[]) => codes.toSorted((a, b) => languageRank(a, tags) - languageRank(b, tags));
  t.deepEqual(sorted(['de-AT', 'de', 'en-US']), ['deu', 'eng', 'chi_sim', 'fra', 'my_firm']);
  t.deepEqual(sorted(['zh-CN', 'fr']), ['chi_sim', 'fra', 'eng', 'my_firm', 'deu']);
});
