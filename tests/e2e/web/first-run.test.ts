import { makePdf } from '@sheaf/testkit';
import { testInChromium, wholeService } from '../../support/in-chromium.ts';
import { germanText, text } from '../../support/messages.ts';

const test = testInChromium(wholeService());

const PASSWORD = 'an astrolabe of brass';

test('who comes first makes the administrator, sees that everything is there, puts in a paper and finds it again', async (t) => {
  t.timeout(3 * 120_000);
  const { open } = t.context;
  await using web = await open();
  const { page } = web;
  const flaws: string[] = [];

  await web.go('/');
  flaws.push(...(await web.flaws('first-run')));
  t.is(await page.getByLabel(text('registration.username')).inputValue(), 'admin', 'a name is suggested');
  await page.getByLabel(text('registration.email')).fill('ada@example.org');
  await page.getByLabel(text('registration.password'), { exact: true }).fill('short');
  await page.getByRole('button', { name: text('firstRun.create') }).click();
  await page
    .getByText(text('issues.too_short', { minimum: 8 }))
    .first()
    .waitFor();
  t.is(await page.getByLabel(text('registration.email')).inputValue(), 'ada@example.org', 'a refusal loses nothing that was typed');
  await page.getByLabel(text('registration.password'), { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { name: text('firstRun.ready') }).waitFor();
  t.is(new URL(page.url()).pathname, '/welcome');
  for (const part of [text('firstRun.database'), text('firstRun.ocr_engine'), text('firstRun.file_storage')])
    await page.getByText(`${part}: ${text('firstRun.healthy')}`).waitFor();
  flaws.push(...(await web.flaws('first-run-welcome')));

  await page.getByRole('button', { name: text('firstRun.languageSave') }).click();
  await page.getByText(text('firstRun.languageSaved')).waitFor();

  const pdf = makePdf([{ lines: ['A theodolite measures angles'] }, { lines: ['between two points'] }]);
  await page.getByTestId('upload-files').first().setInputFiles({ name: 'instruments.pdf', mimeType: 'application/pdf', buffer: pdf });
  const panel = page.getByRole('region', { name: text('uploads.upload') });
  await panel.locator('[data-upload=read]').waitFor({ timeout: 120_000 });
  await page.getByText(text('firstRun.read', { name: 'instruments.pdf' })).waitFor();
  flaws.push(...(await web.flaws('first-run-read')));

  await page.getByLabel(text('firstRun.findWhat')).fill('theodolites');
  await page.keyboard.press('Enter');
  const hit = page.locator('[data-hit]');
  await hit.waitFor();
  t.deepEqual(await page.locator('main mark').allTextContents(), ['theodolite'], 'the word is marked where it stands');
  flaws.push(...(await web.flaws('first-run-found')));

  await hit.click();
  await page.getByRole('heading', { name: 'instruments', level: 1 }).waitFor();
  await page.getByText('A theodolite measures angles').first().waitFor();

  await page.goto('/');
  await page.getByRole('heading', { name: text('shell.documents'), level: 1 }).waitFor();
  await page.getByText(text('documents.count', { count: 1 }), { exact: true }).waitFor();
  t.deepEqual(flaws, []);
});

test('after that nobody can make another administrator, and who is not signed in is asked to', async (t) => {
  const { open } = t.context;
  await using web = await open({ size: 'telephone', language: 'de-AT' });
  await web.go('/documents?view=grid');
  await web.page.getByRole('heading', { name: germanText('signIn.title') }).waitFor();
  t.is(await web.page.getByRole('button', { name: germanText('firstRun.create') }).count(), 0);
  t.deepEqual(await web.flaws('sign-in'), []);
  await web.page.getByLabel(germanText('signIn.username')).fill('admin');
  await web.page.getByLabel(germanText('registration.password'), { exact: true }).fill(PASSWORD);
  await web.page.keyboard.press('Enter');
  await web.page.getByRole('heading', { name: germanText('shell.documents') }).waitFor();
  t.is(new URL(web.page.url()).search, '?view=grid', 'he is where he wanted to go');
  t.deepEqual(web.offences, []);
});
