import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { makeProblem } from '@sheaf/contract/operations';
import { userSettings } from '@sheaf/db/schema';
import { loadTranslator } from '@sheaf/messages/translators';
import test from 'ava';
import { linkIn, type ReceivedMail, startMailServer } from '../../support/mail-server.ts';
import { emailBy, mailerTo, openDeliveryBench, PUBLIC_URL } from './fixture.ts';

/** The value of a header, put together again where it was folded; undefined where there is none of this name. */
const headerOf = ({ source }: ReceivedMail, name: string): string | undefined => {
  const [head = ''] = source.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return lines.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))?.slice(name.length + 2);
};

/** The parts of a multipart mail by their type, decoded. */
const partsOf = ({ source }: ReceivedMail): Record<string, string> => {
  const boundary = /boundary="([^"]+)"/.exec(source)?.[1] ?? '';
  const parts = source.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      const body = rest.join('\r\n\r\n');
      const bytes = /quoted-printable/.test(head)
        ? Buffer.from(
            body.replaceAll('=\r\n', '').replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
            'latin1',
          )
        : Buffer.from(body, /base64/.test(head) ? 'base64' : 'utf8');
      return [/content-type: ([^;\r]+)/i.exec(head)?.[1] ?? '', bytes.toString('utf8')];
    }),
  );
};

test('a notification is a mail in text and HTML, with a link to the screen of its document, and an id that says which delivery it is', async (t) => {
  await using bench = await openDeliveryBench();
  await using server = await startMailServer();
  const told = { title: 'The document could not be read', message: 'It is damaged.\nSend it again.', data: { document_id: 'd-1' } };
  await bench.tell(told, ['email']);
  await bench.open({ email: emailBy(server) }).start();
  const [row] = await bench.until('delivered');
  const [mail] = server.mails;
  if (mail === undefined) throw new Error('no mail came');
  t.deepEqual([mail.from, mail.to], ['papers@example.org', [bench.user.email]]);
  t.is(headerOf(mail, 'Subject'), told.title);
  t.is(headerOf(mail, 'Message-ID'), `<${row?.id}@example.org>`);
  t.is(headerOf(mail, 'Auto-Submitted'), 'auto-generated');
  t.regex(headerOf(mail, 'Content-Type') ?? '', /^multipart\/alternative/);
  const { 'text/plain': text = '', 'text/html': html = '' } = partsOf(mail);
  t.true(text.replaceAll('\r\n', '\n').startsWith('It is damaged.\nSend it again.\n'));
  t.is(linkIn(mail).href, `${PUBLIC_URL}/documents/d-1`);
  t.true(html.includes(`<a href="${PUBLIC_URL}/documents/d-1">Open document</a>`));
  t.regex(html, /It is damaged\.<br>\s*Send it again\./);
});

test('a mail is in the language of the settings of its recipient', async (t) => {
  await using bench = await openDeliveryBench();
  await using server = await startMailServer();
  await bench.database.db.insert(userSettings).values({ userId: bench.user.id, language: 'fr' });
  const problem = makeProblem('database_unreachable');
  await bench.tell({ type: 'alert', title: 'Warning', message: problem.message, data: { level: 'warning', problems: [problem] } }, [
    'email',
  ]);
  await bench.open({ email: emailBy(server) }).start();
  await bench.until('delivered');
  const [mail] = server.mails;
  if (mail === undefined) throw new Error('no mail came');
  const french = await loadTranslator('fr');
  t.is(headerOf(mail, 'Subject'), french.t('notifications.titles.alert', { level: 'warning' }));
  t.true(partsOf(mail)['text/plain']?.includes(french.t('serviceProblems.database_unreachable')));
});

test('nothing in a title or message becomes a header, another recipient or a tag', async (t) => {
  await using bench = await openDeliveryBench();
  await using server = await startMailServer();
  const hostile = 'x\r\nBcc: victim@example.org\nX-Evil: 1\u2028</h1><script>alert("1")</script>&\u202Efdp.exe';
  await bench.tell({ title: hostile, message: hostile, data: { document_id: '"><img src=x>\r\nBcc: a@b.c' } }, ['email']);
  await bench.open({ email: emailBy(server) }).start();
  await bench.until('delivered');
  const [mail] = server.mails;
  if (mail === undefined) throw new Error('no mail came');
  t.deepEqual(mail.to, [bench.user.email]);
  for (const name of ['Bcc', 'X-Evil', 'Cc']) t.is(headerOf(mail, name), undefined, name);
  t.is(
    mail.source
      .split('\r\n\r\n')[0]
      ?.split('\r\n')
      .filter((line) => /^(bcc|x-evil)/i.test(line)).length,
    0,
  );
  const { 'text/html': html = '', 'text/plain': text = '' } = partsOf(mail);
  t.deepEqual(
    [...html.matchAll(/<([a-z!]\w*)/g)].map(([, tag]) => tag),
    ['!doctype', 'html', 'head', 'meta', 'body', 'h1', 'p', 'br', 'br', 'br', 'p', 'a', 'p', 'a'],
  );
  t.true(html.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;fdp.exe'));
  t.false(/\u202E/.test(html + text));
});

test('an address that would be two, or a header, goes to nobody else', async (t) => {
  await using bench = await openDeliveryBench();
  await using server = await startMailServer();
  for (const email of [
    'me@example.org, victim@example.org',
    'me@example.org\r\nBcc: victim@example.org',
    'me@example.org>\r\nRCPT TO:<victim@example.org',
  ]) {
    await bench.database.pool.query('update users set email = $1 where id = $2', [email, bench.user.id]);
    await bench.tell({}, ['email']);
  }
  await bench.open({ email: emailBy(server) }, { retryDelaysMs: [1] }).start();
  await bench.until('failed');
  t.is(server.mails.length, 0);
});

test('a recipient whom the server refuses for good is not tried again; one it cannot take now is', async (t) => {
  await using bench = await openDeliveryBench();
  let busy = 2;
  const refusal = (code: number, words: string): Error => Object.assign(new Error(words), { responseCode: code });
  await using server = await startMailServer((to) => {
    if (to.startsWith('gone')) return refusal(550, 'no such\0 mailbox');
    return busy-- > 0 ? refusal(451, 'busy') : false;
  });
  await bench.tell({}, ['email']);
  await bench.database.pool.query(`update users set email = 'gone@example.org' where id = $1`, [bench.user.id]);
  await bench.tell({}, ['email']);
  await bench.open({ email: emailBy(server) }).start();
  const rows = await bench.untilEnded();
  t.like(rows[0], { state: 'delivered', attempts: 3 });
  t.like(rows[1], { state: 'failed', attempts: 1, last_status: 550 });
  t.regex(rows[1]?.last_error ?? '', /no such mailbox/);
  t.is(server.mails.length, 1);
});

test('a sign-in that the server refuses is tried again, as settings change', async (t) => {
  await using bench = await openDeliveryBench();
  await using server = await startMailServer();
  await bench.tell({}, ['email']);
  await bench
    .open({ email: emailBy({ ...server, environment: { ...server.environment, SMTP_PASSWORD: 'hunter2' } }) }, { retryDelaysMs: [1] })
    .start();
  const [row] = await bench.until('failed');
  t.like(row, { attempts: 5, last_status: 535 });
  t.false(row?.last_error?.includes('hunter2'));
});

test('a server that goes on talking and never comes to an end is abandoned', async (t) => {
  await using bench = await openDeliveryBench();
  const server = createServer((socket) => {
    const drip = setInterval(() => socket.write('220-one moment\r\n'), 100);
    socket.on('error', () => {}).on('close', () => clearInterval(drip));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await bench.tell({}, ['email']);
  await bench.open({ email: emailBy({ port, environment: {} }, 500) }, { retryDelaysMs: [1] }).start();
  const [row] = await bench.until('failed');
  t.like(row, { attempts: 5, last_error: 'The mail server did not accept the e-mail within 0.5 s.' });
  t.is(await new Promise((resolve) => server.getConnections((_, count) => resolve(count))), 0, 'and let go of');
  server.close();
});

test('where TLS is wanted, a server that has none gets no mail', async (t) => {
  await using server = await startMailServer();
  const mail = { to: 'somebody@example.org', subject: 's', text: 't' };
  await t.throwsAsync(mailerTo(server, true).send(mail));
  t.is(server.mails.length, 0);
  await mailerTo(server).send(mail);
  t.is(server.mails.length, 1);
});
