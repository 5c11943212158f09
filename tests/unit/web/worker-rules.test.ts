import { handlingOf, isOfBuild, shellCacheName, staleCaches } from '@sheaf/web/testing';
import test from 'ava';

const ORIGIN = 'https://papers.example.org';
const SHELL = { version: '0a1b', entry: '/assets/base-1a2b.js', files: ['/assets/base-1a2b.js', '/assets/en-3c4d.js', '/icon.svg'] };

const handlingAt = (path: string, method = 'GET', mode: RequestMode = 'navigate'): string =>
  handlingOf({ method, mode, url: new URL(path, ORIGIN).href }, SHELL, ORIGIN);

test('screens are asked for in the network first, whatever their address', (t) => {
  for (const path of ['/', '/documents', '/documents/0198f2a4?q=a', '/service-health', '/share-target', '/statuses'])
    t.is(handlingAt(path), 'screen', path);
});

test('answers about documents and people, other pages of the service and other origins are left to the network', (t) => {
  for (const path of ['/api/documents/1/download', '/api', '/docs/', '/s/token', '/health', '/metrics', '/ws', '/paperless/api/'])
    t.is(handlingAt(path), 'network', path);
  for (const path of ['/api/documents', '/api/documents/1/thumbnail?width=200', '/assets/other-9z.js', '/documents', '/sw.js'])
    t.is(handlingAt(path, 'GET', 'cors'), 'network', path);
  t.is(handlingAt('https://elsewhere.example/icon.svg', 'GET', 'no-cors'), 'network');
  t.is(handlingAt('https://elsewhere.example/documents'), 'network');
});

test('only the files that start the client come from the cache, and only where they are fetched', (t) => {
  t.is(handlingAt('/assets/base-1a2b.js', 'GET', 'cors'), 'shell-file');
  t.is(handlingAt('/icon.svg', 'GET', 'no-cors'), 'shell-file');
  t.is(handlingAt('/icon.svg', 'HEAD', 'cors'), 'network', 'which tells whether the service is there');
  t.is(handlingAt('/icon.svg?again', 'GET', 'cors'), 'network');
});

test('of what is posted, a navigation to the share target alone is taken', (t) => {
  t.is(handlingAt('/share-target', 'POST'), 'shared-files');
  t.is(handlingAt('/share-target', 'POST', 'cors'), 'network');
  t.is(handlingAt('/share-target/files', 'POST'), 'network');
  t.is(handlingAt('/api/documents', 'POST', 'cors'), 'network');
  t.is(handlingAt('/documents', 'PUT'), 'network');
});

test('caches of other builds are removed, those of somebody else are not', (t) => {
  t.deepEqual(staleCaches(['sheaf-shell-0000', shellCacheName(SHELL), 'sheaf-shared-files', 'workbox'], SHELL), ['sheaf-shell-0000']);
});

test('a page that starts another build is not kept with this one', (t) => {
  t.true(isOfBuild('<script type="module" crossorigin src="/assets/base-1a2b.js"></script>', SHELL));
  t.false(isOfBuild('<script type="module" crossorigin src="/assets/base-9z9z.js"></script>', SHELL));
  t.false(isOfBuild('<h1>Sign in at the proxy</h1>', SHELL));
});
