import test from 'ava';
import { chooseLanguage, named, plural } from '../../../apps/web/src/language/texts.ts';

test('a count goes with its form of the noun', (t) => {
  t.is(plural('en', 1, 'document', 'documents'), '1 document');
  t.is(plural('en', 0, 'document', 'documents'), '0 documents');
  t.is(plural('de', 12_345, 'Dokument', 'Dokumente'), '12.345 Dokumente');
});

test('the first of the wanted languages that is there is taken, English where there is none', (t) => {
  t.is(chooseLanguage(['de-AT', 'en']), 'de');
  t.is(chooseLanguage(['fr-FR', 'en-GB', 'de']), 'en');
  t.is(chooseLanguage(['fr', 'DE']), 'de');
  t.is(chooseLanguage(['fr']), 'en');
  t.is(chooseLanguage([]), 'en');
});

test('a name does not turn round the sentence that it stands in', (t) => {
  t.is(`${named('\u202Egnp.exe\u2066')} deleted`, 'gnp.exe deleted');
  t.is(named('שלום 👩‍👧'), 'שלום 👩‍👧');
});
