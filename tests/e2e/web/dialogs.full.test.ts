import type { Locator, Page } from 'playwright-core';
import { apiAlone, testInChromium } from '../../support/in-chromium.ts';
import { text } from '../../support/messages.ts';
import { codeOf } from '../../support/second-factors.ts';
import type { WebPage } from '../../support/web-page.ts';

const ADMIN = { username: 'admin', password: 'correct horse battery' };
/** Of the border of a field against what is around it (WCAG 2.2, 1.4.11). */
const LEAST_CONTRAST = 3;

const test = testInChromium(apiAlone({ ALLOWED_FILE_TYPES: 'txt', MFA_ENABLED: 'true', MFA_METHOD: 'totp' }));

/** The contrast of each field's border with the ground that it stands on. */
const BORDERS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    for (let at = element.parentElement; at !== null; at = at.parentElement) {
      const [r, g, b, alpha] = parse(getComputedStyle(at).backgroundColor);
      if (alpha === 255) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const fields = '.mantine-Input-input, .mantine-PillsInput-input, .mantine-Checkbox-input:not(:checked), .mantine-Radio-radio:not(:checked)';
  return [...document.querySelectorAll(fields)]
    .filter((field) => field.checkVisibility() && !field.disabled && parseFloat(getComputedStyle(field).borderTopWidth) > 0)
    .map((field) => {
      const [light, dark] = [luminance(parse(getComputedStyle(field).borderTopColor).slice(0, 3)), luminance(groundOf(field))].toSorted((a, b) => b - a);
      return { contrast: (light + 0.05) / (dark + 0.05), field: field.outerHTML.slice(0, 160) };
    });
})()`;

interface Border {
  readonly contrast: number;
  readonly field: string;
}

/** Fields of a screen whose borders are hard to see. */
const weakBorders = async (page: Page, name: string): Promise<string[]> => {
  const borders = await page.evaluate<Border[]>(BORDERS);
  return borders
    .filter(({ contrast }) => contrast < LEAST_CONTRAST)
    .map(({ contrast, field }) => `${name}: ${contrast.toFixed(2)} ${field}`);
};

const flawsOf = async (web: WebPage, name: string): Promise<string[]> => {
  const light = [...(await web.flaws(name)), ...(await weakBorders(web.page, name))];
  await web.page.emulateMedia({ colorScheme: 'dark' });
  await web.page.locator('[data-mantine-color-scheme=dark]').waitFor();
  const dark = [...(await web.axe('contrast')), ...(await weakBorders(web.page, `${name}, dark`))];
  await web.page.emulateMedia({ colorScheme: 'light' });
  await web.page.locator('[data-mantine-color-scheme=light]').waitFor();
  return [...light, ...dark];
};

test('dialogs and fields have no flaw that axe knows, and borders that are seen, in light and dark', async (t) => {
  t.timeout(5 * 60_000);
  const { open, served } = t.context;
  await served.admin.upload({ name: 'sextant.txt', bytes: new TextEncoder().encode('A sextant of brass') });
  const flaws: string[] = [];
  await using web = await open();
  const { page } = web;
  const dialog = page.getByRole('dialog');
  const close = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };

  await web.go('/');
  flaws.push(...(await flawsOf(web, 'dialogs-sign-in')));
  await web.signIn(ADMIN);
  await web.go('/documents');
  await page.getByRole('button', { name: text('documents.filters') }).click();
  await page.getByRole('checkbox', { name: text('documents.withoutLabels') }).waitFor();
  await web.settle();
  t.true((await page.evaluate<Border[]>(BORDERS)).length > 5, 'fields are found');
  flaws.push(...(await flawsOf(web, 'dialogs-filters')));

  await page.getByRole('checkbox', { name: text('documents.select', { name: 'sextant' }) }).click();
  for (const [name, button] of [
    ['dialogs-add-labels', text('documents.addLabels')],
    ['dialogs-remove-labels', text('documents.removeLabels')],
    ['dialogs-ocr-language', text('documents.readAgain')],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click();
    await dialog.waitFor();
    await web.settle();
    flaws.push(...(await flawsOf(web, name)));
    await dialog.getByRole('button', { name: text('documents.cancel') }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  await page
    .getByTestId('upload-files')
    .first()
    .setInputFiles([{ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) }]);
  await page.getByRole('region', { name: text('uploads.upload') }).waitFor();
  flaws.push(...(await flawsOf(web, 'dialogs-upload')));

  await web.walk('/sources');
  await page
    .getByRole('button', { name: text('sourceScreen.create') })
    .first()
    .click();
  await dialog.waitFor();
  await web.settle();
  flaws.push(...(await flawsOf(web, 'dialogs-source')));
  await close();
  t.deepEqual(flaws, []);
});

test('the focus returns to where it was when a dialog closes, also through dialogs that follow each other', async (t) => {
  const { open, served } = t.context;
  await served.admin.register('faith', 'editor');
  await using web = await open();
  const { page } = web;
  await web.signIn({ username: 'faith', password: ADMIN.password });
  await web.go('/profile');
  const add = page.getByRole('button', { name: text('profile.addTotp') });
  const hasFocus = (element: Locator): Promise<void> => page.locator(':focus').and(element).waitFor();
  const proof = page.getByRole('dialog', { name: text('profile.confirm') });
  const password = proof.getByLabel(text('profile.password'), { exact: true });
  await add.press('Enter');
  await hasFocus(password);
  await page.keyboard.press('Escape');
  await hasFocus(add);
  await page.keyboard.press('Enter');
  await hasFocus(password);
  await page.keyboard.type(ADMIN.password);
  await page.keyboard.press('Enter');
  const app = page.getByRole('dialog', { name: text('profile.addTotp') });
  await hasFocus(app.getByLabel(text('profile.enterCode')));
  await page.keyboard.type(codeOf((await app.locator('code').textContent()) ?? '', new Date()));
  await page.keyboard.press('Enter');
  const codes = page.getByRole('dialog', { name: text('profile.codesTitle') });
  await hasFocus(codes.getByRole('button', { name: text('profile.copy') }));
  await page.keyboard.press('Escape');
  t.true(await codes.isVisible(), 'codes that are shown once stay until they are done with');
  await codes.getByRole('button', { name: text('profile.done') }).press('Enter');
  await hasFocus(add);

  const remove = page.getByRole('button', { name: text('profile.removeOf', { name: text('profile.totp') }) });
  await remove.press('Enter');
  await proof.getByRole('button', { name: text('profile.useCode') }).press('Enter');
  await hasFocus(proof.getByLabel(text('profile.code'), { exact: true }));
  await page.keyboard.press('Escape');
  await hasFocus(remove);
  await page.keyboard.press('Enter');
  await hasFocus(password);
  await page.keyboard.type(ADMIN.password);
  await page.keyboard.press('Enter');
  await remove.waitFor({ state: 'detached' });
  await hasFocus(add);
  t.deepEqual(web.offences, []);
});
