import { chooseLocale, type Translator } from '@sheaf/messages';
import { loadTranslator } from '@sheaf/messages/translators';
import { isProof, type OpenShare, openShare } from '@sheaf/search/shares';
import type { Request, Response } from 'express';
import { readCookie } from '../auth/session-cookie.ts';
import { sendNoShare } from './entry-pages.ts';
import { setShareHeaders } from './page-frame.ts';
import type { ShareServices } from './share-services.ts';

/** What a browser keeps after a right password. It is sent to the one link only. */
export const PROOF_COOKIE = 'sheaf_share';

export interface Http {
  readonly request: Request;
  readonly response: Response;
}

/** The language that a visitor prefers. */
export const translatorOf = (request: Request): Promise<Translator> => loadTranslator(chooseLocale(request.acceptsLanguages()));

export const pathOf = (token: string): string => `/s/${encodeURIComponent(token)}`;

export interface Visit {
  readonly share: OpenShare;
  readonly translator: Translator;
  readonly path: string;
  /** Whether the password still has to be given. */
  readonly isLocked: boolean;
}

const isLocked = ({ id, passwordHash }: OpenShare, request: Request, { config, clock }: ShareServices): boolean =>
  passwordHash !== null &&
  !isProof(config.sessions.secret, { id, passwordHash }, readCookie(request.headers.cookie, PROOF_COOKIE), clock.now());

/** Opens a link for a visitor. Who comes to none is answered, and undefined returned. */
export const visit = async (services: ShareServices, token: string, { request, response }: Http): Promise<Visit | undefined> => {
  const { config, database } = services;
  setShareHeaders(response);
  const translator = await translatorOf(request);
  const share = config.shares.enabled ? await openShare(database.db, config.signIn.roles, token) : undefined;
  if (share === undefined) {
    sendNoShare(response, translator);
    return undefined;
  }
  return { share, translator, path: pathOf(token), isLocked: isLocked(share, request, services) };
};

/** The same, for what lies behind the page of the link: who has not given its password is led to where it is asked for. */
export const visitBehind = async (services: ShareServices, token: string, http: Http): Promise<Visit | undefined> => {
  const visited = await visit(services, token, http);
  if (visited === undefined || !visited.isLocked) return visited;
  http.response.redirect(303, visited.path);
  return undefined;
};
