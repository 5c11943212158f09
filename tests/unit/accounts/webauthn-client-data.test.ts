import { isAllowedOrigin, isFromOurPage, readClientData } from '@sheaf/accounts/testing/mfa';
import test from 'ava';

const encode = (text: string): string => Buffer.from(text).toString('base64url');

test('without a list the one origin is https under the host name', (t) => {
  const settings = { rpId: 'docs.example.org', origins: [] };
  t.true(isAllowedOrigin('https://docs.example.org', settings));
  for (const origin of [
    'http://docs.example.org',
    'https://docs.example.org:8443',
    'https://a.docs.example.org',
    'https://docs.example.org.evil.org',
    'https://docs.example.org/',
    'null',
    '',
  ])
    t.false(isAllowedOrigin(origin, settings), origin);
});

test('localhost may have any port in the clear, and only localhost', (t) => {
  const settings = { rpId: 'localhost', origins: [] };
  for (const origin of ['http://localhost', 'http://localhost:8080', 'https://localhost'])
    t.true(isAllowedOrigin(origin, settings), origin);
  for (const origin of ['http://localhost.evil.org', 'http://localhost:80@evil.org', 'http://127.0.0.1:8080', 'http://localhost:123456'])
    t.false(isAllowedOrigin(origin, settings), origin);
});

test('a list is all there is', (t) => {
  const settings = { rpId: 'localhost', origins: ['https://docs.example.org:8443'] };
  t.true(isAllowedOrigin('https://docs.example.org:8443', settings));
  t.false(isAllowedOrigin('http://localhost:8080', settings));
  t.false(isAllowedOrigin('https://localhost', settings));
});

test('what browsers do not send is not read', (t) => {
  for (const text of ['', '{', 'null', '[]', '{}', '{"challenge":"x"}', '{"challenge":1,"origin":"x"}', '{"challenge":"","origin":"x"}'])
    t.is(readClientData(encode(text)), undefined, text);
  t.like(readClientData(encode('{"type":"webauthn.get","challenge":"x","origin":"https://a"}')), { challenge: 'x', origin: 'https://a' });
});

test('a page of ours inside a frame of another site is not ours', (t) => {
  const settings = { rpId: 'docs.example.org', origins: [] };
  const said = { challenge: 'x', origin: 'https://docs.example.org' };
  t.true(isFromOurPage(said, settings));
  t.true(isFromOurPage({ ...said, crossOrigin: false }, settings));
  t.false(isFromOurPage({ ...said, crossOrigin: true }, settings));
  t.false(isFromOurPage({ ...said, origin: 'https://evil.org' }, settings));
});
