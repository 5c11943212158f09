import { OutboundError } from '@sheaf/outbound';
import { type Hop, nextHop, parseTarget } from '@sheaf/outbound/testing';
import test from 'ava';

const SECRETS = { authorization: 'Basic eA==', cookie: 'a=b', 'ocp-apim-subscription-key': 'k', 'x-api-key': 'k', 'x-anything': 'k' };

const hop = (fields: Partial<Hop> = {}): Hop => ({
  url: new URL('https://one.example/a/b'),
  method: 'GET',
  headers: { accept: 'text/plain', ...SECRETS },
  body: undefined,
  ...fields,
});

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof OutboundError ? error.code : 'another error';
  }
};

test('on the same origin everything goes along, and a relative address is understood', (t) => {
  const next = nextHop(hop(), 302, '../c?d=e');
  t.is(next.url.href, 'https://one.example/c?d=e');
  t.deepEqual(next.headers, hop().headers);
});

test('another host, another port and another scheme get none of the headers that may be credentials', (t) => {
  for (const location of ['https://two.example/', '//one.example.two.example/', 'https://one.example:444/']) {
    t.deepEqual(nextHop(hop(), 307, location).headers, { accept: 'text/plain' }, location);
  }
  t.deepEqual(nextHop(hop({ url: new URL('http://one.example/') }), 301, 'https://one.example/').headers, { accept: 'text/plain' });
});

test('what was dropped on the way does not come back with the first host', (t) => {
  const away = nextHop(hop(), 302, 'https://two.example/');
  t.deepEqual(nextHop(away, 302, 'https://one.example/').headers, { accept: 'text/plain' });
});

test('from https to http is refused, as is any other scheme', (t) => {
  t.is(
    codeOf(() => nextHop(hop(), 302, 'http://one.example/')),
    'refused_redirect',
  );
  t.is(
    codeOf(() => nextHop(hop(), 302, 'file:///etc/passwd')),
    'invalid_url',
  );
  t.is(
    codeOf(() => nextHop(hop(), 302, 'https://[::1')),
    'refused_redirect',
  );
});

test('credentials in the address of a redirect are left out', (t) => {
  t.is(nextHop(hop(), 302, 'https://user:pass@two.example/x').url.href, 'https://two.example/x');
});

test('a POST becomes a GET without body by 301, 302 and 303, and stays what it is by 307 and 308', (t) => {
  const post = hop({ method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'text' });
  for (const status of [301, 302, 303]) {
    const { method, body, headers } = nextHop(post, status, '/x');
    t.deepEqual({ method, body, headers }, { method: 'GET', body: undefined, headers: {} });
  }
  for (const status of [307, 308]) t.deepEqual(nextHop(post, status, '/x').body, 'text');
});

test('a body is not handed to another host, and a stream cannot be sent twice', (t) => {
  const put = hop({ method: 'PUT', body: 'client_secret=x' });
  t.is(
    codeOf(() => nextHop(put, 307, 'https://two.example/')),
    'refused_redirect',
  );
  async function* pieces() {
    yield new Uint8Array(1);
  }
  t.is(
    codeOf(() => nextHop({ ...put, body: pieces() }, 307, '/x')),
    'refused_redirect',
  );
});

test('only http and https addresses without credentials are called', (t) => {
  t.is(parseTarget('http://example.org/a#b').href, 'http://example.org/a');
  for (const url of ['ftp://example.org', 'file:///x', 'data:,x', 'nonsense', '', 'http://user@example.org', 'http://:p@example.org']) {
    t.is(
      codeOf(() => parseTarget(url)),
      'invalid_url',
      url,
    );
  }
});
