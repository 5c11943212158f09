import { makeProblem } from '@sheaf/contract/operations';
import { toNotificationMail } from '@sheaf/events/testing/notifications';
import { englishTranslator } from '@sheaf/messages/english';
import { loadTranslator } from '@sheaf/messages/translators';
import test from 'ava';
import { assert, property, string } from 'fast-check';

const FACTS = { publicUrl: 'https://papers.example.org', deliveryId: 'd', to: 'a@example.org', translator: englishTranslator() };
const mailOf = (title: string, message: string, data: Readonly<Record<string, unknown>> = {}) =>
  toNotificationMail({ type: 'ocr_failed', timestamp: '2026-01-01T00:00:00.000Z', data: { ...data, user_id: 'u', title, message } }, FACTS);

test('whatever a title holds, the subject is one line, and HTML has the tags of ours alone', (t) => {
  const tagsOf = (html = ''): string[] => [...html.replaceAll('<br>\n', '').matchAll(/<[^>]*>/g)].map(([tag]) => tag);
  const plain = tagsOf(mailOf('t', 'm').html);
  assert(
    property(string({ unit: 'binary' }), string({ unit: 'binary' }), (title, message) => {
      const { subject, html } = mailOf(title, message);
      t.notRegex(subject, /[\p{Cc}\u2028\u2029\u202e]/u);
      t.true(Array.from(subject).length <= 150);
      t.deepEqual(tagsOf(html), plain);
    }),
  );
});

test('a long title is cut where no character is halved', (t) => {
  const { subject } = mailOf('😀'.repeat(200), 'm');
  t.is(subject, `${'😀'.repeat(149)}…`);
});

test('without a document there is no link to one', (t) => {
  t.notRegex(mailOf('t', 'm').html ?? '', /Open document/);
  t.notRegex(mailOf('t', 'm', { document_id: 7 }).text, /documents/);
  t.regex(mailOf('t', 'm', { document_id: 'a/../b' }).text, /documents\/a%2F\.\.%2Fb$/m);
});

test('a mail is in the language of its recipient, and as the service wrote it where there is no message', async (t) => {
  const translator = await loadTranslator('de');
  const problem = makeProblem('database_unreachable');
  const alert = { level: 'critical', problems: [problem], user_id: 'u', title: 'Critical alert', message: problem.message };
  const send = (data: typeof alert) =>
    toNotificationMail({ type: 'alert', timestamp: '2026-01-01T00:00:00.000Z', data }, { ...FACTS, translator });
  const { subject, text, html = '' } = send(alert);
  t.is(subject, translator.t('notifications.titles.alert', { level: 'critical' }));
  t.true(text.startsWith(`${translator.t('serviceProblems.database_unreachable')}\n`));
  t.true(text.includes(translator.t('notifications.mail.sentBy', { url: FACTS.publicUrl })));
  t.true(html.includes('<html lang="de">') && html.includes(`>${translator.t('notifications.mail.openNotifications')}</a>`));
  t.true(send({ ...alert, problems: [{ ...problem, code: 'of_another_version' }] }).text.startsWith(problem.message));
});
