import { LanguageDetector } from '@sheaf/extraction/testing/language';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const GERMAN = 'Die Versicherung zahlt den Beitrag im nächsten Monat, wenn der Vertrag bis dahin nicht gekündigt worden ist.';
const FRENCH = 'Le montant de la facture doit être payé avant la fin du mois, sauf si le contrat a été résilié par écrit.';

test('the language of each text is found, the model leaves when no text comes, and comes again with the next', async (t) => {
  const languages = new LanguageDetector({ idleMs: 100 });
  t.teardown(() => languages.close());
  t.deepEqual(await languages.detectAll(['', 'Rechnung']), [undefined, undefined]);
  t.false(languages.isLoaded, 'nothing was to be found out');
  t.deepEqual(await languages.detectAll([GERMAN, 'too short', FRENCH]), ['deu', undefined, 'fra']);
  t.true(languages.isLoaded);
  await waitFor(() => !languages.isLoaded, { description: 'the model to leave', limitMs: 10_000 });
  t.is(await languages.detect(FRENCH), 'fra');
});

test('a text that is no longer wanted is let go of', async (t) => {
  const languages = new LanguageDetector();
  t.teardown(() => languages.close());
  const reason = new Error('not wanted');
  t.is(await t.throwsAsync(languages.detect(GERMAN, AbortSignal.abort(reason))), reason);
});
