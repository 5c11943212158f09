import { makeProof, tryPassword } from '@sheaf/search/shares';
import { SHARE_PASSWORD_CHARACTERS } from '@sheaf/vocabulary/limits';
import { stringifySetCookie } from 'cookie';
import express, { type Request, type Response } from 'express';
import { z } from 'zod';
import { type Route, streamRoute } from '../http/route.ts';
import { passwordPage } from './entry-pages.ts';
import { sendSharePage } from './page-frame.ts';
import { NO_SHARE } from './public-routes.ts';
import type { ShareServices } from './share-services.ts';
import { PROOF_COOKIE, visit } from './visit.ts';

const MAX_FORM_BYTES = 4_096;
const readFields = express.urlencoded({ extended: false, limit: MAX_FORM_BYTES, parameterLimit: 10 });
const passwordForm = z.object({ password: z.string().max(SHARE_PASSWORD_CHARACTERS.maximum) });

/** The password of the form; undefined where there is none that could be right. */
const readPassword = async (request: Request, response: Response): Promise<string | undefined> => {
  await new Promise<void>((resolve, reject) =>
    readFields(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error))),
  );
  return passwordForm.safeParse(request.body).data?.password;
};

/** Takes the password of a link, and gives the browser a cookie for this link alone. */
export const givePassword = (services: ShareServices): Route =>
  streamRoute({
    method: 'post',
    path: '/s/{token}',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Enter the password of a share link',
    description:
      'Accepts a form (application/x-www-form-urlencoded) with the field `password`. After too many wrong passwords, the link rejects all passwords for a while.',
    content: {
      answers: [
        { status: 303, description: 'Right: to the page of the link, with a cookie that is valid for this link and an hour' },
        { status: 403, description: 'Wrong', contentTypes: ['text/html'] },
        NO_SHARE,
        {
          status: 429,
          description: 'Too many wrong passwords',
          contentTypes: ['text/html'],
          headers: { 'Retry-After': 'Seconds until the next attempt' },
        },
      ],
    },
    params: z.strictObject({ token: z.string() }),
    query: z.object({}),
    stream: async ({ params: { token }, context }, { request, response }) => {
      const visited = await visit(services, token, { request, response });
      if (visited === undefined) return;
      const { share, translator, path } = visited;
      const { t, find } = translator;
      const { id, passwordHash } = share;
      if (passwordHash === null) return response.redirect(303, path);
      const again = (status: number, problem: string): void =>
        sendSharePage(response, status, translator, passwordPage(path, translator, problem));
      const password = await readPassword(request, response);
      if (password === undefined) return again(403, t('sharePage.passwordWrong'));
      const outcome = await tryPassword(services.database.db, { id, passwordHash }, password, context.address);
      if (outcome.kind === 'wrong') return again(403, t('sharePage.passwordWrong'));
      if (outcome.kind === 'limited') {
        response.setHeader('Retry-After', outcome.retryAfterSeconds);
        return again(429, find('sharePage.passwordLimited', { retry_after_seconds: outcome.retryAfterSeconds }) ?? '');
      }
      const { config, clock } = services;
      const { proof, expiresAt } = makeProof(config.sessions.secret, { id, passwordHash }, clock.now());
      const secure = config.sessions.cookie.secure ?? context.connection.isSecure;
      const attributes = { path, httpOnly: true, secure, sameSite: 'lax', expires: expiresAt } as const;
      context.setCookie(stringifySetCookie({ name: PROOF_COOKIE, value: proof, ...attributes }, { encode: (value) => value }));
      response.redirect(303, path);
    },
  });
