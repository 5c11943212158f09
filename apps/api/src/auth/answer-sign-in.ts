import type { SessionCookie } from '@sheaf/accounts';
import type { RequestContext } from '../http/route.ts';
import type { AuthServices } from './auth-services.ts';
import { deviceCookie } from './device-cookie.ts';
import { sessionCookies } from './session-cookie.ts';

/** What a sign-in answers; where it opened a browser session, the answer sets the cookies too. */
export const answerSignIn = <A>(
  { answer, cookie, device }: { readonly answer: A; readonly cookie?: SessionCookie; readonly device?: string },
  context: RequestContext,
  { config }: Pick<AuthServices, 'config'>,
): A => {
  if (cookie !== undefined)
    for (const line of sessionCookies(cookie, config.sessions.cookie, context.connection.isSecure)) context.setCookie(line);
  if (device !== undefined) context.setCookie(deviceCookie(device, config.sessions.cookie, context.connection.isSecure));
  return answer;
};
