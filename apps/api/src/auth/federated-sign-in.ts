import type { Client, ExternalIdentity, FederatedEnd, FederatedStart, SessionCookie } from '@sheaf/accounts';
import { AppError } from '@sheaf/contract';
import { type LoginBody, mfaRequiredBody } from '@sheaf/contract/identity';
import type { Request, Response } from 'express';
import type { RequestContext } from '../http/route.ts';
import { clientOf } from './client.ts';
import { readCookie } from './session-cookie.ts';

export type FederatedSignIn =
  | { readonly kind: 'session'; readonly login: LoginBody; readonly cookie?: SessionCookie | undefined }
  | { readonly kind: 'mfa'; readonly mfaToken: string; readonly methods: readonly string[] };

/** What the routes of identity providers need of the one sign-in service. */
export interface FederatedSignInService {
  /** Decides about somebody whom an identity provider has named. Throws FORBIDDEN. */
  signIn(
    identity: ExternalIdentity,
    client: Client,
    options: { readonly cookie: boolean; readonly rememberMe: boolean },
  ): Promise<FederatedSignIn>;
  setSessionCookie(response: Response, cookie: SessionCookie): void;
}

/** The cookie that binds a sign-in to the browser that began it. */
export interface BindingCookie {
  readonly name: string;
  /** Where the browser comes back to, as it sees it. */
  readonly returnUrl: string;
  /** Whether the answer comes as a form that another site sends; browsers add only cookies that say so, over https. */
  readonly isPosted: boolean;
}

/** Choice: only who names JSON and takes no page gets the answer as JSON. Browsers always take pages. */
const wantsJson = (request: Request): boolean => request.accepts(['html', 'json']) === 'json';

const attributesOf = ({ returnUrl, isPosted }: BindingCookie) => {
  const { protocol, pathname } = new URL(returnUrl);
  const secure = protocol === 'https:';
  return { httpOnly: true, secure, path: pathname, sameSite: isPosted && secure ? ('none' as const) : ('lax' as const) };
};

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** Leads a browser to the first page with the code of the error, and nothing of what came in. Throws it for who takes only JSON. */
const answerSignInError = (error: unknown, { request, response }: Exchange): void => {
  if (wantsJson(request) || !(error instanceof AppError)) throw error;
  response.redirect(302, `/?${new URLSearchParams({ sign_in_error: error.code })}`);
};

/** Sends the browser to the identity provider; where that cannot be asked, back to the first page. */
export const sendAway = async (begin: () => Promise<FederatedStart>, binding: BindingCookie, http: Exchange): Promise<void> => {
  const { response } = http;
  response.setHeader('Cache-Control', 'no-store');
  try {
    const { url, cookie } = await begin();
    response.cookie(binding.name, cookie.value, { ...attributesOf(binding), maxAge: cookie.maxAgeMs });
    response.redirect(302, url);
  } catch (error) {
    answerSignInError(error, http);
  }
};

interface Return {
  readonly http: Exchange;
  readonly context: RequestContext;
  readonly binding: BindingCookie;
  readonly signInService: FederatedSignInService;
}

const writeAnswer = (signedIn: FederatedSignIn, returnTo: string, isJson: boolean, { http: { response }, signInService }: Return): void => {
  if (signedIn.kind === 'mfa') {
    const body = { mfa_required: true as const, mfa_token: signedIn.mfaToken, methods: [...signedIn.methods] };
    // behind a # it reaches the page, but no server and no log
    if (isJson) response.status(200).json(mfaRequiredBody.parse(body));
    else response.redirect(302, `/#${new URLSearchParams({ mfa_token: body.mfa_token, methods: body.methods.join() })}`);
    return;
  }
  if (signedIn.cookie !== undefined) signInService.setSessionCookie(response, signedIn.cookie);
  if (isJson) response.status(200).json(signedIn.login);
  else response.redirect(302, returnTo);
};

/** Ends a sign-in that came back: with the session cookie to where it was begun, with JSON, or with why not. */
export const takeBack = async (finish: (cookie: string | undefined) => Promise<FederatedEnd>, returned: Return): Promise<void> => {
  const { http, context, binding, signInService } = returned;
  const isJson = wantsJson(http.request);
  http.response.setHeader('Cache-Control', 'no-store');
  http.response.clearCookie(binding.name, attributesOf(binding));
  try {
    const { identity, returnTo } = await finish(readCookie(http.request.headers.cookie, binding.name));
    const signedIn = await signInService.signIn(identity, clientOf(context), { cookie: !isJson, rememberMe: false });
    writeAnswer(signedIn, returnTo, isJson, returned);
  } catch (error) {
    answerSignInError(error, http);
  }
};
