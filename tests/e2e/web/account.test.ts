import type { ApiClient } from '@sheaf/testkit';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text, textPattern } from '../../support/messages.ts';

const PASSWORD = 'correct horse battery';
const ANN = { username: 'ann', password: PASSWORD };

const test = testInChromium(async (own) => {
  const api = await apiAlone()(own);
  await api.admin.register('ann', 'editor');
  await api.admin.register('viktor', 'viewer');
  return api;
});

/** Ends all sessions of somebody, as they do it from another device. */
const endSessions = async (anyone: ApiClient, username: string): Promise<void> => {
  const elsewhere = await anyone.login(username);
  await elsewhere.delete('/api/auth/sessions');
};

test('a wrong password is told and loses nothing; the right one leads to where one wanted to go, and out again', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.go('/labels?q=tax');
  await page.getByLabel(text('signIn.username')).fill('ann');
  await page.getByLabel(text('signIn.password'), { exact: true }).fill('wrong');
  await page.getByRole('button', { name: text('signIn.title') }).click();
  await page.getByText(text('signIn.wrong')).waitFor();
  t.is(await page.getByLabel(text('signIn.username')).inputValue(), 'ann');
  t.deepEqual(await web.flaws('sign-in-wrong'), []);
  await page.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: text('shell.labels'), level: 1 }).waitFor();
  t.is(await page.getByLabel(text('labelPicker.find')).inputValue(), 'tax');
  const kept = await page.evaluate<string[]>('[...Object.keys(localStorage), ...Object.keys(sessionStorage)]');
  t.deepEqual(
    kept.filter((name) => name !== 'mantine-color-scheme-value'),
    [],
    'nothing of the session is where scripts find it',
  );
  const cookies = await web.context.cookies();
  t.true(cookies.length > 1 && cookies.every(({ sameSite }) => sameSite !== 'None'));
  t.deepEqual(
    cookies.filter(({ httpOnly }) => !httpOnly).map(({ name }) => name),
    [(await served.anyone.get('/api/auth/config')).body['csrf_cookie']],
    'the token against forgery is all that scripts can read',
  );

  await page.getByRole('button', { name: text('shell.account') }).click();
  await page.getByRole('menuitem', { name: text('profile.signOut') }).click();
  await page.getByRole('heading', { name: text('signIn.title') }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: text('signIn.title') }).waitFor();
  t.deepEqual(web.offences, []);
});

test('a session that ends while one types asks to sign in again above the screen; what was typed is still there and goes', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page } = web;
  await web.signIn(ANN);
  await web.go('/labels');
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('profile.keyName'), { exact: true }).fill('Typed with care');
  await endSessions(served.anyone, 'ann');
  const again = page.getByRole('dialog', { name: text('signIn.again') });
  await again.waitFor();
  t.is(await again.getByLabel(text('signIn.username')).inputValue(), 'ann');
  t.deepEqual(await web.flaws('sign-in-again'), []);
  await again.getByLabel(text('signIn.password'), { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await again.getByText(text('signIn.wrong')).waitFor();
  await again.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  t.is(await page.getByLabel(text('profile.keyName'), { exact: true }).inputValue(), 'Typed with care');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click();
  await page.getByRole('cell', { name: 'Typed with care', exact: true }).waitFor();

  // the change itself may be what learns of it
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('profile.keyName'), { exact: true }).fill('Typed again');
  await endSessions(served.anyone, 'ann');
  await page.keyboard.press('Enter');
  await again.getByLabel(text('signIn.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  t.is(await page.getByLabel(text('profile.keyName'), { exact: true }).inputValue(), 'Typed again');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click();
  await page.getByRole('cell', { name: 'Typed again', exact: true }).waitFor();
  t.deepEqual(web.offences, []);
});

test('a refusal that comes late asks nobody to sign in again who has done so; who comes back to a window signed in goes on', async (t) => {
  const { open, served } = t.context;
  await using web = await open();
  const { page, context } = web;
  await web.signIn(ANN);
  await web.go('/labels');
  const again = page.getByRole('dialog', { name: text('signIn.again') });

  await page.route('**/api/labels', (route) => route.fulfill({ status: 401, json: { error: 'UNAUTHORIZED' } }), { times: 1 });
  const isLooked = page.waitForResponse('**/api/auth/me');
  await page
    .getByRole('button', { name: text('labels.create') })
    .first()
    .click();
  await page.getByLabel(text('profile.keyName'), { exact: true }).fill('Typed late');
  await page.keyboard.press('Enter');
  t.is((await isLooked).status(), 200);
  await page.getByLabel(text('profile.keyName'), { exact: true }).press('End'); // the form is still there to be typed in
  t.is(await again.count(), 0);

  await endSessions(served.anyone, 'ann');
  await again.waitFor();
  // another window signs in, and its word is lost
  const answer = await context.request.post('/api/auth/login', { data: { ...ANN, cookie: true } });
  t.is(answer.status(), 200);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await again.waitFor({ state: 'detached' });
  await page
    .getByRole('dialog')
    .getByRole('button', { name: text('profile.save') })
    .click();
  await page.getByRole('cell', { name: 'Typed late', exact: true }).waitFor();
  t.deepEqual(web.offences, []);
});

test('a viewer sees no way to what they may not do, and an address typed by hand is refused in words', async (t) => {
  const { open, served } = t.context;
  const { body } = await served.admin.upload({ name: 'paper.txt', bytes: new TextEncoder().encode('some words') });
  await served.admin.post('/api/labels', { name: 'Everybody’s' });
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'viktor', password: PASSWORD });
  await web.go('/documents');
  await page.getByText('paper').first().waitFor();
  const ways = await page.getByRole('navigation').getByRole('link').allTextContents();
  t.deepEqual(ways, [
    text('shell.documents'),
    text('shell.search'),
    text('shell.savedSearches'),
    text('shell.labels'),
    text('shell.correspondents'),
    text('shell.documentTypes'),
    text('shell.queue'),
    text('shell.ingest'),
    text('shell.notifications'),
  ]);
  t.is(await page.getByRole('button', { name: text('uploads.upload') }).count(), 0);
  await page.getByRole('checkbox', { name: text('documents.select', { name: 'paper' }) }).click();
  await page
    .getByText(text('documents.selected', { count: 1 }))
    .first()
    .waitFor();
  for (const name of [text('document.remove'), text('documents.addLabels'), text('document.readAgain')])
    t.is(await page.getByRole('button', { name, exact: true }).count(), 0, name);

  await web.walk(`/documents/${String(body['id'])}`);
  for (const name of [text('document.remove'), text('document.editTitle'), text('document.readAgain'), text('document.addField')])
    t.is(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  await web.walk('/labels');
  await page.getByText('Everybody’s').waitFor();
  for (const name of [
    text('labels.create'),
    text('labels.removeOf', { name: 'Everybody’s' }),
    text('labels.editOf', { name: 'Everybody’s' }),
  ])
    t.is(await page.getByRole('button', { name }).count(), 0, name);
  await web.walk('/queue');
  t.is(await page.getByRole('button', { name: text('queue.pause') }).count(), 0);

  const flaws: string[] = [];
  for (const path of ['/users', '/audit', '/service-health', '/system', '/imports', '/deliveries', '/analytics', '/sources']) {
    await web.walk(path);
    await page.getByText(textPattern('refused.hint')).first().waitFor();
    flaws.push(...(await web.flaws(`refused-${path.slice(1)}`)));
  }
  t.deepEqual(flaws, []);
});
