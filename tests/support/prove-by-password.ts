import type { Page } from 'playwright-core';
import { text } from './messages.ts';

/** Answers the dialog of the web client that asks for the password before a change. */
export const proveByPassword = async (page: Page, password: string): Promise<void> => {
  const dialog = page.getByRole('dialog', { name: text('profile.confirm') });
  await dialog.getByLabel(text('profile.password'), { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
};
