import test from 'ava';
import { ocrLanguageName } from '../../../apps/web/src/language/ocr-language-name.ts';

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
