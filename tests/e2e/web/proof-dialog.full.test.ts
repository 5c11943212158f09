// Changes of what one signs in with are confirmed by the password, in a dialog above the screen.
import type { Locator, Page } from 'playwright-core';
import { enroll } from '../../support/enrolled.ts';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { germanText, text } from '../../support/messages.ts';
import { codeOf } from '../../support/second-factors.ts';

const PASSWORD = 'correct horse battery';

const test = testInChromium(apiAlone({ MFA_ENABLED: 'true', MFA_METHOD: 'totp' }));

interface Words {
  readonly prove: string;
  readonly password: string;
  readonly wrong: string;
  readonly addApp: string;
  readonly enterCode: string;
  readonly email: string;
  readonly taken: string;
  readonly profile: string;
  readonly save: string;
  readonly saved: string;
  readonly cancel: string;
}

const TRANSLATORS = { en: text, de: germanText };

const wordsIn = (language: 'en' | 'de'): Words => {
  const t = TRANSLATORS[language];
  return {
    prove: t('profile.confirm'),
    password: t('profile.password'),
    wrong: t('errors.PROOF_WRONG'),
    addApp: t('profile.addTotp'),
    enterCode: t('profile.enterCode'),
    email: t('profile.email'),
    taken: t('errors.email_in_use', { value: 'admin@example.org' }),
    profile: t('profile.profile'),
    save: t('profile.save'),
    saved: t('profile.saved'),
    cancel: t('common.cancel'),
  };
};

const submitPassword = async (page: Page, field: Locator, password: string): Promise<void> => {
  await field.fill(password);
  await page.keyboard.press('Enter');
};

for (const language of ['en', 'de'] as const) {
  const words = wordsIn(language);
  test(`a second authenticator app needs the password (${language})`, async (t) => {
    const { open, served } = t.context;
    const username = `two-apps-${language}`;
    const client = await served.admin.register(username, 'editor');
    await using web = await open({ language });
    const { page } = web;
    await web.signIn({ username, password: PASSWORD });
    await enroll(client);
    await web.go('/profile');
    await page.getByRole('button', { name: words.addApp }).click();
    const dialog = page.getByRole('dialog', { name: words.prove });
    const password = dialog.getByLabel(words.password, { exact: true });
    await password.waitFor();
    t.deepEqual(await web.flaws(`proof-second-app-${language}`), []);
    await submitPassword(page, password, 'wrong');
    await dialog.getByText(words.wrong).waitFor();
    t.is(await page.getByText(words.wrong).count(), 1, 'it is said once');
    t.deepEqual(await web.flaws(`proof-second-app-wrong-${language}`), []);
    t.is(await page.getByLabel(words.enterCode).count(), 0);
    await submitPassword(page, password, PASSWORD);
    const app = page.getByRole('dialog', { name: words.addApp });
    const secret = (await app.locator('code').textContent()) ?? '';
    t.is(await dialog.count(), 0);
    await app.getByLabel(words.enterCode).fill(codeOf(secret, new Date()));
    await page.keyboard.press('Enter');
    await app.waitFor({ state: 'detached' });
    const { body } = await client.get('/api/auth/mfa');
    t.is((body['devices'] as { enabled: boolean }[]).filter(({ enabled }) => enabled).length, 2);
    t.deepEqual(web.offences, []);
  });

  test(`a new e-mail address needs the password, and what is wrong with the address is said at the form (${language})`, async (t) => {
    const { open, served } = t.context;
    const username = `moves-${language}`;
    const client = await served.admin.register(username, 'editor');
    const emailNow = async (): Promise<unknown> => (await client.get('/api/auth/me')).body['email'];
    await using web = await open({ language, size: 'telephone' });
    const { page } = web;
    await web.signIn({ username, password: PASSWORD });
    await web.go('/profile');
    const profile = page.getByRole('region', { name: words.profile, exact: true });
    const email = profile.getByLabel(words.email);
    const dialog = page.getByRole('dialog', { name: words.prove });
    const password = dialog.getByLabel(words.password, { exact: true });

    await email.fill(`${username}@new.example`);
    await page.keyboard.press('Enter');
    await submitPassword(page, password, 'wrong');
    await dialog.getByText(words.wrong).waitFor();
    t.is(await page.getByText(words.wrong).count(), 1, 'the form below does not say it again');
    t.deepEqual(await web.flaws(`proof-email-wrong-${language}`), []);
    await dialog.getByRole('button', { name: words.cancel }).click();
    await dialog.waitFor({ state: 'detached' });
    t.is(await page.getByRole('alert').count(), 0, 'who gives up is told nothing of it');
    t.is(await emailNow(), `${username}@example.org`);
    t.is(await email.inputValue(), `${username}@new.example`, 'what was typed is still there');

    await email.fill('admin@example.org');
    await page.keyboard.press('Enter');
    await submitPassword(page, password, PASSWORD);
    await profile.getByRole('alert').getByText(words.taken).waitFor();
    t.is(await dialog.count(), 0, 'it is not the password that is wrong');
    t.deepEqual(await web.flaws(`proof-email-taken-${language}`), []);

    await email.fill(`${username}@new.example`);
    await profile.getByRole('button', { name: words.save }).click();
    await submitPassword(page, password, PASSWORD);
    await profile.getByText(words.saved, { exact: true }).waitFor();
    t.is(await emailNow(), `${username}@new.example`);
    t.is(await dialog.count(), 0);
    t.deepEqual(web.offences, []);
  });
}
