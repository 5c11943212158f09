// The client as an installed app: its service worker, and what it shows without a network.
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };

const test = testInChromium(apiAlone());

test('the worker is installed, the client opens without a network and says so, goes on when it is back, and keeps nothing of anybody', async (t) => {
  const { open } = t.context;
  await using web = await open({ serviceWorker: true });
  const { page, context } = web;
  await web.signIn(ADMIN);
  await web.go('/documents');
  await web.untilControlled();
  t.is(await page.evaluate('document.querySelector("link[rel=manifest]").getAttribute("href")'), '/manifest.webmanifest');
  await page.goto('/search?q=paper');
  await web.settle();
  const kept = await page.evaluate<string[]>(`(async () => {
    const cached = [];
    for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) cached.push(new URL(url).pathname);
    return cached;
  })()`);
  t.true(kept.includes('/') && kept.some((path) => path.startsWith('/assets/base-')), kept.join(' '));
  t.deepEqual(
    kept.filter((path) => path !== '/' && path !== '/icon.svg' && !/^\/assets\/[\w.-]+\.(?:js|css)$/.test(path)),
    [],
    'neither answers nor screens',
  );

  await context.setOffline(true);
  await page.goto('/documents');
  await page.getByRole('alert').getByText(text('problem.unreachable')).waitFor();
  t.deepEqual(await web.axe(), []);
  await page.getByRole('button', { name: text('problem.again') }).waitFor(); // it has stopped to ask by itself
  await context.setOffline(false);
  await page.getByRole('heading', { name: text('shell.documents'), level: 1 }).waitFor();
  t.deepEqual(web.offences, []);
});
