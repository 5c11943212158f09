import { isLocalRequest } from '@sheaf/api/testing';
import test from 'ava';

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}, httpVersion = '1.1') =>
  isLocalRequest({ httpVersion, headers: { host: 'localhost:8080', ...headers }, socket: { remoteAddress } });

test('a connection from loopback that asks for loopback is local', (t) => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) t.true(from(address), address);
  for (const host of ['localhost', '127.0.0.1:1', '[::1]:8080', 'LOCALHOST:8080']) t.true(from('::1', { host }), host);
});

test('every other address is not, nor is one that is missing', (t) => {
  for (const address of ['192.0.2.1', '10.0.0.1', '172.17.0.1', '::', '0.0.0.0', 'fe80::1', '::ffff:192.0.2.1', '', undefined])
    t.false(from(address), String(address));
});

test('another host name is not local: it may have been led here', (t) => {
  for (const host of ['evil.example', 'papers.example.org', 'localhost.evil.example', '192.0.2.1', '', 'user@localhost', 'localhost/x'])
    t.false(from('127.0.0.1', { host }), host);
});

test('what a proxy passes on is not local, whatever it says', (t) => {
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'cf-connecting-ip'])
    t.false(from('127.0.0.1', { [name]: '127.0.0.1' }), name);
  t.false(from('127.0.0.1', {}, '1.0'), 'nginx without further settings');
});
