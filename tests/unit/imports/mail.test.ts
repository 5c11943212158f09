import { Readable } from 'node:stream';
import { htmlToText, readMbox, readMessage, toRtf } from '@sheaf/imports/testing';
import test from 'ava';
import { threadCpuMs } from '../../support/thread-cpu-ms.ts';

const messagesOf = async (mbox: string, maxBytes = 10_000, chunkBytes = 7): Promise<string[]> => {
  const bytes = Buffer.from(mbox);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  const found: string[] = [];
  for await (const message of readMbox(Readable.from(chunks), maxBytes))
    found.push('bytes' in message ? message.bytes.toString() : `too large: ${message.tooLargeBytes}`);
  return found;
};

test('a mailbox is cut where a line begins with From behind an empty line, wherever its chunks end', async (t) => {
  const mbox = 'From a@b Mon\nSubject: one\n\nHello\nFrom here\n>From there\n>>From quoted\n\nFrom a@b Tue\r\nSubject: two\r\n\r\ntext';
  for (const chunkBytes of [1, 7, 1_000])
    t.deepEqual(await messagesOf(mbox, 10_000, chunkBytes), [
      'Subject: one\n\nHello\nFrom here\nFrom there\n>From quoted\n\n',
      'Subject: two\r\n\r\ntext',
    ]);
  t.deepEqual(await messagesOf('no mailbox\n\n'), []);
});

test('a message that is too large is counted, not kept, and the next one is read', async (t) => {
  const large = `From a@b Mon\nSubject: large\n\n${'x'.repeat(5_000)}\n${'line\n'.repeat(2_000)}\nFrom a@b Tue\nSubject: small\n\nok\n`;
  const [first, second] = await messagesOf(large, 1_000, 64);
  t.regex(first ?? '', /^too large: 1\d{4}$/);
  t.is(second, 'Subject: small\n\nok\n');
});

test('what a message says: encoded words, parts, files; pictures of the layout are no files', async (t) => {
  const message = await readMessage(
    Buffer.from(
      [
        'From: =?utf-8?q?=C3=84nne?= <anne@example.org>',
        'To: a@example.org, B <b@example.org>',
        'Subject: =?utf-8?b?UmVjaG51bmcg4oKs?=',
        'Date: Tue, 3 Mar 2026 09:15:00 +0100',
        'Message-ID: <one@example.org>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<style>p { color: red }</style><p>Hello&nbsp;<b>you</b></p><img src="cid:logo"><script>no</script><p>bye &#8364;</p>',
        '--x',
        'Content-Type: image/png; name=logo.png',
        'Content-ID: <logo>',
        'Content-Disposition: inline',
        '',
        'png',
        '--x',
        'Content-Type: text/plain; name="../../note.txt"',
        'Content-Disposition: attachment; filename="../../note.txt"',
        '',
        'a note',
        '--x--',
        '',
      ].join('\r\n'),
    ),
  );
  t.like(message, {
    messageId: 'one@example.org',
    subject: 'Rechnung €',
    from: 'Änne <anne@example.org>',
    to: 'a@example.org, B <b@example.org>',
    date: new Date('2026-03-03T08:15:00Z'),
  });
  t.is(message.text.replaceAll(/\s+/g, ' ').trim(), 'Hello you bye €');
  t.deepEqual(
    message.attachments.map(({ filename, bytes }) => [filename, bytes.toString().trim()]),
    [['../../note.txt', 'a note']],
  );
  await t.throwsAsync(readMessage(Buffer.from('')));
  const forwarded = await readMessage(Buffer.from('Subject: Fwd\nContent-Type: message/rfc822\n\nSubject: Inner\n\ntext'));
  t.deepEqual(
    forwarded.attachments.map(({ filename, isMessage }) => [filename, isMessage]),
    [['attachment-1.eml', true]],
  );
});

test('HTML becomes text in time that grows with its length alone', (t) => {
  t.is(htmlToText('<p a="x>y">1 &lt;2&gt;</p><!-- <p>no</p> --><ul><li>a<li>b</ul>&unknown; &#xD800;'), '1 <2>\n\na\nb\n&unknown; �');
  const beganMs = threadCpuMs();
  for (const piece of ['<', '<!--', '<p "', '&', '<style>', '<p><']) t.true(htmlToText(piece.repeat(200_000)).length <= 1_300_000, piece);
  t.true(threadCpuMs() - beganMs < 20_000);
});

test('text of a message cannot become commands of RTF', (t) => {
  const rtf = toRtf({
    messageId: undefined,
    subject: 'a {\\field} b',
    from: 'Ä',
    to: '',
    date: undefined,
    text: '\\object {x}\n€ \u{1f600}\u0000',
    attachments: [],
  }).toString('latin1');
  t.true(rtf.includes('a \\{\\\\field\\} b'));
  t.true(rtf.includes('\\\\object \\{x\\}\\line\n\\u8364? \\u-10179?\\u-8704?\\par'));
  t.false(rtf.includes('\0'));
});
