import { contentDisposition } from '@sheaf/api/testing';
import test from 'ava';
import { assert, property, string } from 'fast-check';

/** The name as a client that knows RFC 8187 reads it. */
const readName = (header: string): string | undefined => {
  const [, extended] = /; filename\*=UTF-8''([^;]+)$/.exec(header) ?? [];
  if (extended !== undefined) return decodeURIComponent(extended);
  const [, quoted] = /; filename="((?:[^"\\]|\\.)*)"$/.exec(header) ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1');
};

test('a plain name stands as it is', (t) => {
  t.is(contentDisposition('attachment', 'letter 1.pdf'), 'attachment; filename="letter 1.pdf"');
  t.is(contentDisposition('inline', 'a_b-c.txt'), 'inline; filename="a_b-c.txt"');
});

test('letters beyond ASCII, Latin-1 ones too, are given in UTF-8 beside a fallback', (t) => {
  t.is(contentDisposition('attachment', 'Größe.txt'), `attachment; filename="Gr??e.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.txt`);
  t.is(contentDisposition('attachment', '№5 🙂.pdf'), `attachment; filename="?5 ?.pdf"; filename*=UTF-8''%E2%84%965%20%F0%9F%99%82.pdf`);
});

test('quotes, backslashes, newlines and percent signs do no harm', (t) => {
  t.is(contentDisposition('attachment', 'a"b\\c.txt'), `attachment; filename="a\\"b\\\\c.txt"; filename*=UTF-8''a%22b%5Cc.txt`);
  t.is(
    contentDisposition('attachment', 'x\r\nSet-Cookie: y.txt'),
    `attachment; filename="x??Set-Cookie: y.txt"; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20y.txt`,
  );
  t.is(contentDisposition('attachment', '50%25.txt'), `attachment; filename="50?25.txt"; filename*=UTF-8''50%2525.txt`);
  t.is(contentDisposition('attachment', "it's (1)*.txt"), `attachment; filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`);
});

test('any name comes back whole, in one line of ASCII', (t) => {
  assert(
    property(string({ unit: 'binary', minLength: 1, maxLength: 60 }), (name) => {
      const header = contentDisposition('attachment', name);
      t.regex(header, /^[\x20-\x7e]+$/);
      t.is(readName(header), name);
    }),
  );
});
