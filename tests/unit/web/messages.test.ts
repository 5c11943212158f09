import { makeTranslator, notificationText } from '@sheaf/messages';
import { compileCatalogue } from '@sheaf/messages/catalogue';
import de from '@sheaf/messages/locales/de.json' with { type: 'json' };
import en from '@sheaf/messages/locales/en.json' with { type: 'json' };
import fr from '@sheaf/messages/locales/fr.json' with { type: 'json' };
import { importLogReason, makeProblemMessages, Problem, problemOf } from '@sheaf/web/testing';
import test from 'ava';

const german = makeTranslator('de', compileCatalogue(de));
const { t: text } = german;
const { ofProblem } = makeProblemMessages(german);

const OWN = 'The message of the service';
const problem = (code: string, details: Readonly<Record<string, unknown>> = {}): Problem =>
  new Problem({ status: 400, code, message: OWN, details });

test('a reason goes before its code, and limits, times and names stand in the message', (t) => {
  t.is(ofProblem(problem('UNAUTHORIZED', { reason: 'wrong_credentials' })), text('errors.wrong_credentials'));
  t.is(
    ofProblem(problem('VALIDATION_ERROR', { reason: 'too_large', max_bytes: 52_428_800 })),
    text('errors.too_large', { max_bytes: '50 MB' }),
  );
  t.is(
    ofProblem(problem('ACCOUNT_LOCKED', { retry_after_seconds: 90 })),
    text('errors.ACCOUNT_LOCKED', { retry_after_seconds: '1 Min. 30 Sek.' }),
  );
  t.is(
    ofProblem(problem('DUPLICATE_RESOURCE', { reason: 'label_exists', name: '\u202EInvoices' })),
    text('errors.label_exists', { name: 'Invoices' }),
  );
  t.is(ofProblem(problem('DELIVERY_NOT_RETRIABLE', { state: 'sending' })), text('errors.DELIVERY_NOT_RETRIABLE', { state: 'sending' }));
});

test('where the service writes for programs, the screen has a text of its own', (t) => {
  t.is(ofProblem(problem('PRECONDITION_FAILED', { etag: '"1"' })), text('screenErrors.PRECONDITION_FAILED'));
  t.is(ofProblem(problem('VERSION_CHANGED')), text('screenErrors.VERSION_CHANGED'));
  t.is(ofProblem(problem('VALIDATION_ERROR', { reason: 'not_confirmed', matched: 7 })), text('screenErrors.not_confirmed', { matched: 7 }));
  t.is(ofProblem(problem('FORBIDDEN', { reason: 'proof_required', fields: ['password'] })), text('screenErrors.proof_required'));
});

test('a problem without a message, or that lacks a detail of it, has the message of the service', (t) => {
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
    t.is(ofProblem(problem(code, details)), OWN, `${code} ${JSON.stringify(details)}`);
});

test('each field that is wrong is named, with the rule that it breaks', (t) => {
  const issues = [
    { path: 'settings.bucket', code: 'not_bucket', details: {}, message: OWN },
    { path: 'file_patterns.2', code: 'too_long', details: { maximum: 2_000 }, message: OWN },
    { path: '', code: 'unknown_keys', details: { keys: ['colour'] }, message: OWN },
    { path: 'cursor', code: 'other', details: {}, message: 'must be the next_cursor of an answer' },
  ];
  t.is(
    ofProblem(problem('VALIDATION_ERROR', { issues })),
    [
      `${text('fields.bucket')}: ${text('issues.not_bucket')}`,
      `${text('fields.file_patterns')}: ${text('issues.too_long', { maximum: 2_000 })}`,
      text('issues.unknown_keys', { keys: 'colour' }),
      'cursor: must be the next_cursor of an answer',
    ].join('; '),
  );
});

test('a field and what is wrong with it are joined as the language does it', (t) => {
  const french = makeTranslator('fr', compileCatalogue(fr));
  const issue = { path: 'settings.bucket', code: 'not_bucket', details: {}, message: OWN };
  const message = makeProblemMessages(french).ofProblem(problem('VALIDATION_ERROR', { issues: [issue] }));
  t.is(message, `${french.t('fields.bucket')}\u202F: ${french.t('issues.not_bucket')}`);
});

test('an answer that is not of the service has the message of its status', (t) => {
  t.is(ofProblem(problemOf(502, '<h1>Bad gateway</h1>', null)), text('errors.UNKNOWN', { status: 502 }));
  const limited = JSON.stringify({ error: { code: 'RATE_LIMITED', message: '…', details: { limit: 100, retry_after_seconds: 7 } } });
  t.is(ofProblem(problemOf(429, limited, '7')), text('errors.RATE_LIMITED', { limit: 100, retry_after_seconds: '7 Sek.' }));
});

const reasonOf = (code: string | null, details: Readonly<Record<string, unknown>> = {}) =>
  importLogReason({ reason: OWN, reason_code: code as null, reason_details: details }, german);

test('the reason of an entry of the import log has the message of its code, or of the error that the sender got', (t) => {
  t.is(reasonOf('moved_from', { path: 'in/\u202Ea.txt' }), text('importLog.moved_from', { path: 'in/a.txt' }));
  t.is(reasonOf('too_large', { max_bytes: 1_048_576 }), text('errors.too_large', { max_bytes: '1 MB' }));
  t.is(reasonOf('source_failed', { problem: 'unauthorized', error: 'It says 401.' }), `${text('sources.unauthorized')} It says 401.`);
  t.is(reasonOf('source_failed', { problem: 'constructor', error: 'It says 401.' }), 'It says 401.');
  for (const [code, details] of [
    [null, {}],
    ['of_a_later_version', {}],
    ['constructor', {}],
    ['too_large', {}],
    ['too_large', { max_bytes: null }],
  ] as const)
    t.is(reasonOf(code, details), OWN, String(code));
  t.is(importLogReason({ reason: null, reason_code: null, reason_details: {} }, german), null);
});

const notification = (
  type: 'duplicate_skipped' | 'alert' | 'ocr_completed' | 'ocr_failed' | 'security' | 'sync_completed' | 'sync_failed',
  data: Readonly<Record<string, unknown>>,
) => notificationText({ type, title: 'A title', message: 'A message', data }, german);

test('a notification has the message of its type and what it carries', (t) => {
  const completed = notification('ocr_completed', { title: 'Brief', count: 3, needs_attention: true, confidence: 0.43 });
  t.is(completed.title, text('notifications.titles.ocr_completed', { count: 3 }));
  t.regex(completed.message, /Brief.*43\u00A0%/);
  t.is(
    notification('ocr_failed', { title: 'Brief', reason: 'corrupt', error: en['failures.corrupt'] }).message,
    `Brief: ${text('failures.corrupt')}`,
  );
  t.is(
    notification('ocr_failed', { title: 'Brief', reason: 'corrupt', error: 'Page 7 is empty' }).message,
    `Brief: ${text('failures.corrupt')} (Page 7 is empty)`,
  );
  const run = { added: 2, updated: 0, moved: 0, removed: 1, failed: 0, total: 1_200 };
  t.deepEqual(notification('sync_completed', { name: 'Cloud', ...run }), {
    title: text('notifications.titles.sync_completed', { name: 'Cloud' }),
    message: text('notifications.messages.sync_completed', run),
  });
  t.is(
    notification('sync_failed', { name: 'Cloud', code: 'unauthorized', error: 'It says 401.' }).message,
    `${text('sources.unauthorized')} It says 401.`,
  );
  t.is(
    notification('duplicate_skipped', { filename: 'a.txt', reason: 'duplicate_file' }).message,
    `a.txt: ${text('errors.duplicate_file')}`,
  );
  t.is(
    notification('duplicate_skipped', { filename: 'a.txt', reason: 'document_deleted_of', path: 'b.txt' }).message,
    `a.txt: ${text('importLog.document_deleted_of', { path: 'b.txt' })}`,
  );
  const problems = [{ code: 'database_unreachable', message: 'English', details: {} }];
  t.deepEqual(notification('alert', { level: 'critical', component: 'database', problems }), {
    title: text('notifications.titles.alert', { level: 'critical' }),
    message: text('serviceProblems.database_unreachable'),
  });
  t.is(notification('alert', { level: 'critical', component: 'database' }).message, 'A message');
  const created = notification('security', { action: 'key.created', name: 'Scanner', address: '::1', by_others: false });
  t.is(created.title, text('notifications.security.key.created', { name: 'Scanner' }));
  t.regex(created.message, /::1/);
});

test('a notification that carries too little has its own message', (t) => {
  t.is(notification('duplicate_skipped', { filename: 'a.txt', route: 'watch' }).message, 'A message');
  t.deepEqual(notification('alert', { level: 'critical' }), {
    title: text('notifications.titles.alert', { level: 'critical' }),
    message: 'A message',
  });
  t.is(notification('ocr_failed', {}).message, 'A message', 'one that was written by an earlier version');
  t.deepEqual(notification('security', { action: 'constructor' }), { title: 'A title', message: 'A message' });
});
