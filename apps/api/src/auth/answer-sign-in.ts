import type { SessionCookie } from '@sheaf/identity';
import type { ApiDeps } from '../deps.ts';
import type { RequestFacts } from '../http/route.ts';
import { deviceCookie } from './device-cookie.ts';
import { sessionCookies } from './session-cookie.ts';

/** What a sign-in answers; where it opened a browser session, the answer sets the cookies too. */
export const answerSignIn = <A>(
  { answer, cookie, device }: { readonly answer: A; readonly cookie?: SessionCookie; readonly device?: string },
  facts: RequestFacts,
  { config }: ApiDeps,
): A => {
  if (cookie !== undefined) for (const line of sessionCookies(cookie, config.sessions.cookie, facts.isSecure)) facts.setCookie(line);
  if (device !== undefined) facts.setCookie(deviceCookie(device, config.sessions.cookie, facts.isSecure));
  return answer;
};
