import type { SessionCookie } from '@sheaf/identity';
import type { ApiDeps } from '../deps.ts';
import type { RequestFacts } from '../http/route.ts';
import { sessionCookies } from './session-cookie.ts';

/** What a sign-in answers; where it opened a browser session, the answer sets the cookies too. */
export const answerSignIn = <A>(
  { answer, cookie }: { readonly answer: A; readonly cookie?: SessionCookie },
  facts: RequestFacts,
  { config }: ApiDeps,
): A => {
  if (cookie !== undefined) for (const line of sessionCookies(cookie, config.sessions.cookie, facts.isSecure)) facts.setCookie(line);
  return answer;
};
