import {
  ERROR_CODES,
  ERROR_REASONS,
  FAILURE_MESSAGES,
  ISSUE_CODES,
  LEDGER_REASON_CODES,
  makeIssue,
  SOURCE_PROBLEMS,
} from '@sheaf/contract';
import test from 'ava';
import { Problem, problemOf } from '../../../apps/web/src/interface/problem.ts';
import { makeFormat } from '../../../apps/web/src/language/format.ts';
import { LANGUAGES } from '../../../apps/web/src/language/texts.ts';
import { errorWords } from '../../../apps/web/src/said/error-words.ts';
import { failureWords } from '../../../apps/web/src/said/failure-words.ts';
import { fieldWords } from '../../../apps/web/src/said/field-words.ts';
import { issueWords } from '../../../apps/web/src/said/issue-words.ts';
import { ledgerWords } from '../../../apps/web/src/said/ledger-words.ts';
import { notificationMessages, notificationTitles, securityTitles } from '../../../apps/web/src/said/notification-words.ts';
import { problemWords } from '../../../apps/web/src/said/problem-words.ts';
import { sourceWords } from '../../../apps/web/src/said/source-words.ts';
import { tellLedgerReason } from '../../../apps/web/src/said/tell-ledger-reason.ts';
import { tellNotification } from '../../../apps/web/src/said/tell-notification.ts';
import { say, type Words, type WordsByCode } from '../../../apps/web/src/said/words.ts';

type Table = WordsByCode<string>;
const TABLES: Readonly<Record<string, Table>> = {
  errorWords,
  issueWords,
  failureWords,
  fieldWords,
  sourceWords,
  ledgerWords,
  notificationTitles,
  notificationMessages,
  securityTitles,
};
const german = makeFormat('de');
const de = problemWords('de', german);
const en = problemWords('en', makeFormat('en'));

const problem = (code: string, details: Readonly<Record<string, unknown>> = {}, message = 'In the words of the service'): Problem =>
  new Problem({ status: 400, code, message, details });

/** What words say whatever the details are: those that are made from them are asked with two sets. */
const variants = (words: Words): readonly (string | null)[] =>
  typeof words === 'function'
    ? [
        words({}),
        words({ extension: '', state: 'delivered', found: 'a picture', level: 'info', count: 2, by_others: true, needs_attention: true }),
      ]
    : [words];

const namesIn = (words: Words): string[][] =>
  variants(words).map((text) => Array.from(text?.matchAll(/\{(\w+)\}/g) ?? [], ([, name = '']) => name).toSorted());

test('every code has words in both languages, which carry the same details', (t) => {
  for (const [name, table] of Object.entries(TABLES)) {
    t.deepEqual(Object.keys(table.de), Object.keys(table.en), name);
    for (const [code, words] of Object.entries(table.de)) t.deepEqual(namesIn(words), namesIn(table.en[code] ?? null), `${name}: ${code}`);
  }
  for (const language of LANGUAGES) {
    t.deepEqual(
      [...ERROR_CODES, ...ERROR_REASONS].filter((code) => !(code in errorWords[language])),
      [],
    );
    t.deepEqual(
      ISSUE_CODES.filter((code) => !(code in issueWords[language])),
      [],
    );
    t.deepEqual(Object.keys(ledgerWords[language]).toSorted(), LEDGER_REASON_CODES.toSorted());
    t.deepEqual(Object.keys(failureWords[language]), Object.keys(FAILURE_MESSAGES));
    t.deepEqual(
      SOURCE_PROBLEMS.filter((code) => !(code in sourceWords[language])),
      [],
    );
  }
});

test('nothing of the German words is the English', (t) => {
  for (const [name, table] of Object.entries(TABLES)) {
    if (name === 'fieldWords') continue; // names such as Code and Name are both
    for (const [code, words] of Object.entries(table.de))
      for (const text of variants(words))
        if (text !== null && !text.startsWith('{')) t.false(variants(table.en[code] ?? null).includes(text), `${name}: ${code}`);
  }
});

test('in English a document that failed has the words of the service', (t) => {
  t.deepEqual(failureWords.en, FAILURE_MESSAGES);
});

test('limits, times and names stand in the words as the reader is used to them', (t) => {
  t.is(
    de.ofProblem(problem('VALIDATION_ERROR', { reason: 'too_large', max_bytes: 52_428_800 })),
    'Die Datei ist größer als die Grenze von 52 MB',
  );
  t.is(
    de.ofProblem(problem('VALIDATION_ERROR', { reason: 'type_not_allowed', extension: 'exe', allowed_types: ['pdf', 'png'] })),
    'Dateien der Art .exe sind hier nicht erlaubt; erlaubt sind pdf, png',
  );
  t.regex(de.ofProblem(problem('ACCOUNT_LOCKED', { retry_after_seconds: 90 })), /Versuchen Sie es in 1 Min\. 30 Sek\. noch einmal/);
  t.is(
    en.ofProblem(problem('DUPLICATE_RESOURCE', { reason: 'label_exists', name: '\u202EInvoices' })),
    'There is a label “Invoices” already.',
  );
  t.is(
    de.ofProblem(problem('DUPLICATE_RESOURCE', { reason: 'username_in_use', field: 'username', value: 'anna' })),
    'Der Benutzername anna ist schon vergeben.',
  );
});

test('a reason goes before its code, and the details decide between words', (t) => {
  t.is(de.ofProblem(problem('UNAUTHORIZED', { reason: 'wrong_credentials' })), 'Der Benutzername oder das Passwort ist falsch.');
  t.regex(de.ofProblem(problem('DELIVERY_NOT_RETRIABLE', { state: 'delivered' })), /zugestellt/);
  t.regex(de.ofProblem(problem('DELIVERY_NOT_RETRIABLE', { state: 'sending' })), /gerade gesendet/);
  t.regex(de.ofProblem(problem('VALIDATION_ERROR', { reason: 'unknown_type', extension: '' })), /keine Endung/);
});

test('what has no words, too general ones, or lacks a detail of them stands in the words of the service', (t) => {
  for (const [code, details] of [
    ['VALIDATION_ERROR', {}],
    ['SERVICE_UNAVAILABLE', {}],
    ['WATCH_DIRECTORY_FAILED', {}],
    ['OF_A_LATER_VERSION', {}],
    ['constructor', {}],
    ['VALIDATION_ERROR', { reason: 'of_a_later_version' }],
    ['VALIDATION_ERROR', { reason: 'too_large' }],
    ['VALIDATION_ERROR', { reason: 'too_large', max_bytes: null }],
  ] as const)
    t.is(de.ofProblem(problem(code, details)), 'In the words of the service', `${code} ${JSON.stringify(details)}`);
});

test('each field that is wrong is named, with the rule that it breaks', (t) => {
  const issues = [
    makeIssue('settings.bucket', 'not_bucket', 'must be …'),
    makeIssue('file_patterns.2', 'too_long', 'Too big', { maximum: 2_000 }),
    makeIssue('', 'unknown_keys', 'Unrecognized key', { keys: ['colour'] }),
    makeIssue('cursor', 'other', 'must be the next_cursor of an answer'),
  ];
  t.is(
    de.ofProblem(problem('VALIDATION_ERROR', { issues })),
    [
      'Bucket: muss der Name eines Buckets sein: Buchstaben, Ziffern, Punkte, Bindestriche, Unterstriche',
      'Muster: darf höchstens 2.000 Zeichen haben',
      'ist hier nicht bekannt: colour',
      'cursor: must be the next_cursor of an answer',
    ].join('; '),
  );
});

test('an answer that is not of the service is told by its status', (t) => {
  t.is(de.ofProblem(problemOf(502, '<h1>Bad gateway</h1>', null)), 'Der Dienst antwortete mit dem Status 502');
  const limited = JSON.stringify({ error: { code: 'RATE_LIMITED', message: '…', details: { limit: 100, retry_after_seconds: 7 } } });
  t.is(en.ofProblem(problemOf(429, limited, '7')), 'Too many requests: 100 a minute are allowed. Try again in 7 sec.');
});

test('braces in a detail are no names', (t) => {
  t.is(say({ here: '{name} is here' }, 'here', { name: '{secret}', secret: 'x' }, german), '{secret} is here');
});

const ledger = (code: string | null, details: Readonly<Record<string, unknown>> = {}, language: 'de' | 'en' = 'de') =>
  tellLedgerReason({ reason: 'In its own words', reason_code: code as null, reason_details: details }, language, german);

test('why a file is in its state is told by the code, and in the words of the service where there is none or a detail is missing', (t) => {
  t.is(ledger('too_large', { max_bytes: 1_048_576 }), 'Die Datei ist größer als die Grenze von 1 MB');
  t.is(ledger('moved_from', { path: 'in/\u202Ea.txt' }), 'Verschoben, vorher in/a.txt');
  t.regex(
    String(ledger('too_old', { modified_at: '2026-03-01T10:00:00.000Z', max_age_seconds: 86_400 })),
    /^Zuletzt geändert am 0?1\.0?3\.2026, .* länger her als 24 Std\. 0 Min\.$/,
  );
  t.is(ledger('source_failed', { problem: 'unauthorized', error: 'It says 401.' }), 'Die Quelle verweigert den Zugang: It says 401.');
  t.is(ledger('source_failed', { problem: 'constructor', error: 'It says 401.' }), 'It says 401.');
  t.is(ledger('source_failed', { problem: 'unauthorized', error: 'It says 401.' }, 'en'), 'It says 401.');
  t.is(
    ledger('too_old', { modified_at: 'soon', max_age_seconds: 60 }),
    'Zuletzt geändert am soon, und das ist länger her als 1 Min. 0 Sek.',
  );
  for (const [code, details] of [
    [null, {}],
    ['of_a_later_version', {}],
    ['constructor', {}],
    ['too_large', {}],
    ['too_large', { max_bytes: null }],
  ] as const)
    t.is(ledger(code, details), 'In its own words', String(code));
  t.is(tellLedgerReason({ reason: null, reason_code: null, reason_details: {} }, 'de', german), null);
});

const said = (
  type: 'duplicate_skipped' | 'alert' | 'ocr_completed' | 'ocr_failed' | 'security' | 'sync_completed' | 'sync_failed',
  data: Readonly<Record<string, unknown>>,
) => Object.values(tellNotification({ type, title: 'A title', message: 'A message', data }, 'de', german)).join(' | ');

test('a notification is told by its type and what it carries, and by its own words where it carries too little', (t) => {
  t.is(
    said('ocr_completed', { title: 'Brief', needs_attention: true, confidence: 0.43 }),
    'Ein Dokument wurde gelesen | Brief kann jetzt durchsucht werden. Der Text ist zweifelhaft (43\u00A0%); sehen Sie ihn sich an, oder versuchen Sie eine andere Sprache.',
  );
  t.is(
    said('ocr_completed', { title: 'Brief', count: 3 }),
    '3 Dokumente wurden gelesen | Als letztes: Brief kann jetzt durchsucht werden.',
  );
  t.is(
    said('ocr_failed', { title: 'Brief', reason: 'corrupt', error: FAILURE_MESSAGES.corrupt }),
    'Ein Dokument konnte nicht gelesen werden | Brief: Die Datei ist beschädigt und lässt sich nicht öffnen',
  );
  t.regex(said('ocr_failed', { title: 'Brief', reason: 'corrupt', error: 'Page 7 is empty' }), /nicht öffnen \(Page 7 is empty\)$/);
  t.is(
    said('sync_completed', { name: 'Cloud', added: 2, updated: 0, moved: 0, removed: 1, failed: 0, total: 1_200 }),
    'Von Cloud wurde geholt | 2 neu, 1 verschwunden; 1.200 Dateien angesehen.',
  );
  t.is(
    said('sync_failed', { name: 'Cloud', code: 'unauthorized', error: 'It says 401.' }),
    'Das Holen von Cloud ist gescheitert | Die Quelle verweigert den Zugang. It says 401.',
  );
  t.is(
    said('duplicate_skipped', { filename: 'a.txt', reason: 'duplicate_file', route: 'watch' }),
    'Eine Datei wurde übersprungen | a.txt: Dieselbe Datei ist schon hier',
  );
  t.regex(said('duplicate_skipped', { filename: 'a.txt', reason: 'document_deleted_of', path: 'b.txt' }), /\| a\.txt: .* als b\.txt /);
  t.is(said('duplicate_skipped', { filename: 'a.txt', route: 'watch' }), 'Eine Datei wurde übersprungen | A message');
  t.is(said('alert', { level: 'critical', component: 'file_storage' }), 'Etwas funktioniert nicht | A message');
  t.regex(
    said('security', { action: 'key.created', name: 'Scanner', address: '::1', by_others: false }),
    /: Scanner \| Von der Adresse ::1\. Wenn/,
  );
  t.is(said('ocr_failed', {}), 'Ein Dokument konnte nicht gelesen werden | A message', 'one that was written by an earlier version');
  t.is(said('security', { action: 'constructor' }), 'A title | A message');
});
