import { apiAlone, testInChromium } from '../../support/in-chromium.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
const test = testInChromium(apiAlone());

/**
 * What a busy machine does: what React wants to do after it has drawn comes late. `isLate` begins it; `firstLoading` is called when the place of a screen
 * is drawn.
 */
const LATE_EFFECTS = `
  globalThis.isLate = false;
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (...given) {
    if (globalThis.isLate) setTimeout(() => post.apply(this, given), 1_500);
    else post.apply(this, given);
  };
  new MutationObserver((_, observer) => {
    if (document.querySelector('.loading') === null) return;
    observer.disconnect();
    void globalThis.placeDrawn();
  }).observe(document, { childList: true, subtree: true });
`;

test('a part that arrives after its place was drawn, and before React looks for it, is shown', async (t) => {
  await using web = await t.context.open();
  const { page } = web;
  await web.signIn(ADMIN);
  const placeDrawn = Promise.withResolvers<void>();
  const messages = Promise.withResolvers<void>();
  await page.exposeFunction('placeDrawn', placeDrawn.resolve);
  await page.addInitScript(LATE_EFFECTS);
  await page.route(/\/assets\/en-[^/]*\.js$/, async (route) => {
    await messages.promise;
    await route.continue();
  });
  await page.route(/\/assets\/inside-[^/]*\.js$/, async (route) => {
    await placeDrawn.promise;
    await route.continue();
  });
  const me = page.waitForResponse(/\/api\/auth\/me$/);
  const gone = web.go('/documents');
  await (await me).finished();
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))'); // the session is drawn with it
  await page.evaluate('globalThis.isLate = true');
  messages.resolve();
  await gone;
  t.deepEqual(web.offences, []);
});
