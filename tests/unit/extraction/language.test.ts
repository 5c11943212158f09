import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ocrLanguageOf } from '@sheaf/extraction';
import { detectLanguage, LanguageChoice, languagesToRead } from '@sheaf/extraction/testing/language';
import { findDownloadedData } from '@sheaf/extraction/testing/ocr';
import test from 'ava';

const GERMAN = 'Die Versicherung zahlt den Beitrag im nächsten Monat, wenn der Vertrag bis dahin nicht gekündigt worden ist.';
const FRENCH = 'Le montant de la facture doit être payé avant la fin du mois, sauf si le contrat a été résilié par écrit.';
const INSTALLED = ['deu', 'eng', 'fra'];

test('the language of a text is found, as a code of tesseract, where there is enough of it', async (t) => {
  t.is(await detectLanguage(GERMAN), 'deu');
  t.is(await detectLanguage(FRENCH), 'fra');
  t.is(await detectLanguage('The premium is due next month, unless the contract has been cancelled in writing before then.'), 'eng');
  for (const text of ['', 'Rechnung', '12.50 19.99 00123 || -- ~~ 42.00'.repeat(20)]) t.is(await detectLanguage(text), undefined, text);
});

test('a given language is the only one; of auto the likeliest that is installed comes first', (t) => {
  t.deepEqual(languagesToRead('deu+eng', INSTALLED, ['fra']), { first: 'deu+eng', others: [] });
  t.deepEqual(languagesToRead('auto', INSTALLED, ['pol', 'fra', 'deu']), { first: 'fra', others: ['deu', 'eng'] });
  t.deepEqual(languagesToRead('auto', INSTALLED, []), { first: 'eng', others: ['deu', 'fra'] });
  t.deepEqual(languagesToRead('auto:deu,fra', INSTALLED, ['eng']), { first: 'deu', others: ['fra'] });
  t.deepEqual(languagesToRead('auto:pol,fra', INSTALLED, []), { first: 'fra', others: [] });
  t.is(languagesToRead('auto:pol', INSTALLED, []), undefined);
});

test('a page in another language that can be read is found, and the next one is begun with it', async (t) => {
  const languages = new LanguageChoice('eng', ['deu'], detectLanguage);
  t.is(await languages.otherThan('eng', GERMAN), 'deu');
  t.is(await languages.otherThan('deu', GERMAN), undefined);
  t.is(await languages.otherThan('eng', FRENCH), undefined, 'it cannot be read');
  languages.confirm('deu');
  t.is(languages.current, 'deu');
  t.is(await new LanguageChoice('eng', [], detectLanguage).otherThan('eng', GERMAN), undefined, 'the language is given');
});

test('the language of a locale has a code of tesseract', (t) => {
  t.deepEqual(['de-AT', 'FR', 'auto', 'zh-Hans', '', 'constructor'].map(ocrLanguageOf), [
    'deu',
    'fra',
    undefined,
    'chi_sim',
    undefined,
    undefined,
  ]);
});

test('models that were downloaded are found, a folder each', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-languages-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  t.deepEqual(await findDownloadedData(folder), []);
  for (const code of ['nld', 'pol']) {
    mkdirSync(join(folder, code, '4.0.0_best_int'), { recursive: true });
    writeFileSync(join(folder, code, '4.0.0_best_int', `${code}.traineddata.gz`), '');
  }
  const found = await findDownloadedData(folder);
  t.deepEqual(
    found.map(({ languages, gzip }) => [[...languages].join(), gzip]),
    [
      ['nld', true],
      ['pol', true],
    ],
  );
});
