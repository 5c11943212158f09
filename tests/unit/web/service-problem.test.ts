import { makeProblem, warning } from '@sheaf/contract/operations';
import { alertText, makeTranslator, problemsText } from '@sheaf/messages';
import { compileCatalogue } from '@sheaf/messages/catalogue';
import de from '@sheaf/messages/locales/de.json' with { type: 'json' };
import { healthText } from '@sheaf/web/testing';
import test from 'ava';

const german = makeTranslator('de', compileCatalogue(de), 'de');
const LOW = { place: '/srv/uploads', free_bytes: 3 * 1024 ** 2 };

test('a component reports its problems in the language of the reader', (t) => {
  t.is(healthText(warning('storage_low_space', LOW), german), german.find('serviceProblems.storage_low_space', LOW));
  t.not(healthText(warning('storage_low_space', LOW), german), warning('storage_low_space', LOW).message);
  t.is(healthText({ status: 'healthy' }, german), undefined);
});

test('a problem of a code that is not known has the message of the service, and so has a component without codes', (t) => {
  const details = {};
  t.is(
    problemsText([{ code: 'of_a_later_version', message: 'New.', details }, makeProblem('database_unreachable')], german),
    `New.; ${de['serviceProblems.database_unreachable']}`,
  );
  t.is(problemsText([{ code: 'constructor', message: 'New.', details }], german), 'New.');
  t.is(healthText({ status: 'warning', message: 'Old \u202Etext' }, german), 'Old text');
});

test('what a part reports because of an error has the message of that error', (t) => {
  t.is(problemsText([{ code: 'network_not_allowed', message: 'm', details: {} }], german), de['errors.network_not_allowed']);
});

test('an alert of a source names the problem of the source in the language of the reader', (t) => {
  const text = alertText([makeProblem('source_unreachable', { name: 'Cloud', source_problem: 'timeout' })], german);
  t.is(text, german.find('serviceProblems.source_unreachable', { name: 'Cloud', source_problem: de['sources.timeout'] }));
});

test('an alert of a version without codes has no text of its own', (t) => {
  for (const problems of [undefined, null, 'text', [], [null], [{ code: 'x' }], [{ code: 'x', message: 'm', details: null }]])
    t.is(alertText(problems, german), undefined, JSON.stringify(problems));
});
