import { once } from 'node:events';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docsSite } from '@sheaf/api/testing';
import test from 'ava';
import express from 'express';

interface Site extends AsyncDisposable {
  readonly get: (path: string) => Promise<Response>;
}

/** A service that has nothing but the site, in `folder`. */
const openSite = async (folder: string): Promise<Site> => {
  const app = express().use(docsSite({ mayBeFramed: false, folder }));
  app.use((_request, response) => void response.status(418).end());
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    get: (path) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const PAGE = '<html><script id="check-dark-mode">dark()</script><script type="module" src="/docs/assets/app.js"></script></html>';

test('the site is served below /docs with a policy that permits its own scripts alone', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-docs-'));
  await mkdir(join(folder.path, 'install'));
  await mkdir(join(folder.path, 'assets'));
  await writeFile(join(folder.path, 'index.html'), PAGE);
  await writeFile(join(folder.path, '404.html'), 'nothing here');
  await writeFile(join(folder.path, 'install/container.html'), 'container');
  await writeFile(join(folder.path, 'assets/app.js'), 'run()');
  await writeFile(join(folder.path, 'assets/@search.js'), 'index');
  await using site = await openSite(folder.path);

  const moved = await site.get('/docs');
  t.deepEqual([moved.status, moved.headers.get('location')], [308, '/docs/']);
  const first = await site.get('/docs/');
  t.is(await first.text(), PAGE);
  const policy = first.headers.get('content-security-policy') ?? '';
  t.regex(policy, /script-src 'self' 'sha256-[\w+/]+=';/);
  t.regex(policy, /frame-ancestors 'none'/);
  t.is(await (await site.get('/docs/install/container.html')).text(), 'container');
  t.is(await (await site.get('/docs/assets/@search.js')).text(), 'index');
  const script = await site.get('/docs/assets/app.js');
  t.deepEqual([await script.text(), script.headers.get('cache-control')], ['run()', 'public, max-age=31536000, immutable']);

  for (const path of ['/docs/no.html', '/docs/no/', '/docs/assets/no.js', '/docs/install/']) {
    const missing = await site.get(path);
    t.deepEqual([missing.status, await missing.text()], [404, 'nothing here'], path);
    t.not(missing.headers.get('cache-control'), 'public, max-age=31536000, immutable', path);
  }
  for (const path of ['/docsify', '/api/docs', '/docs/%2e%2e/secret', '/']) t.is((await site.get(path)).status, 418, path);
});

test('where the site is not built, /docs says how to build it', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-docs-'));
  await using site = await openSite(join(folder.path, 'none'));
  const answer = await site.get('/docs/');
  t.is(answer.status, 404);
  t.true((await answer.text()).includes('npm run docs:build'));
});
