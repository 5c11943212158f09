import { chooseLocale, withoutBidiControls } from '@sheaf/messages';
import test from 'ava';

test('the first of the wanted languages that there are messages of is chosen, English where there is none', (t) => {
  t.is(chooseLocale(['de-AT', 'en']), 'de');
  t.is(chooseLocale(['it-IT', 'en-GB', 'de']), 'en');
  t.is(chooseLocale(['fr', 'DE']), 'fr');
  t.is(chooseLocale(['es-419']), 'es');
  t.is(chooseLocale(['it']), 'en');
  t.is(chooseLocale([]), 'en');
});

test('a name does not turn round the sentence that it stands in', (t) => {
  t.is(`${withoutBidiControls('\u202Egnp.exe\u2066')} deleted`, 'gnp.exe deleted');
  t.is(withoutBidiControls('שלום 👩‍👧'), 'שלום 👩‍👧');
});
