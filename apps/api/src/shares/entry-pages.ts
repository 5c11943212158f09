import { escapeHtml } from '@sheaf/contract';
import type { Translator } from '@sheaf/messages';
import { SHARE_PASSWORD_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Response } from 'express';
import { type SharePage, sendSharePage } from './page-frame.ts';

/** The one answer to a link that shows nothing, whatever the reason. */
export const sendNoShare = (response: Response, translator: Translator): void => {
  const { t } = translator;
  sendSharePage(response, 404, translator, { title: t('sharePage.notFound'), body: `<p>${escapeHtml(t('sharePage.notFoundHint'))}</p>` });
};

/** Asks for the password of a link; `problem` says what was wrong with the last one. */
export const passwordPage = (path: string, { t }: Translator, problem?: string): SharePage => {
  const wrong = problem === undefined ? '' : `<p class="wrong" id="wrong" role="alert">${escapeHtml(problem)}</p>\n`;
  const described = problem === undefined ? '' : ' aria-describedby="wrong" aria-invalid="true"';
  return {
    title: t('sharePage.password'),
    body: `<p>${escapeHtml(t('sharePage.passwordHint'))}</p>
${wrong}<form method="post" action="${escapeHtml(path)}">
<label for="password">${escapeHtml(t('sharePage.passwordField'))}</label>
<input id="password" name="password" type="password" required maxlength="${SHARE_PASSWORD_CHARACTERS.maximum}" autocomplete="off" autofocus${described}>
<div><button type="submit">${escapeHtml(t('sharePage.open'))}</button></div>
</form>`,
  };
};
