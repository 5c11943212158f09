import { buffer } from 'node:stream/consumers';
import type { GuardedFetch } from '@sheaf/outbound';
import type { CustomFetch, FetchBody } from 'openid-client';

const TIMEOUT_MS = 10_000;
/** The largest answers are key sets; real ones have some kilobytes. */
const MAX_BYTES = 1024 * 1024;
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const toText = (body: FetchBody): string | undefined => {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new Error('Request to the identity provider has a body that is not a form');
};

/** The guarded client as openid-client wants it. Follows no redirect: each address is the one that was discovered or configured. */
export const makeOidcFetch =
  (fetch: GuardedFetch): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const text = toText(body);
    const response = await fetch(url, {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
      ...(signal === undefined ? {} : { signal }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
      maxRedirects: 0,
    });
    const bytes = await buffer(response.body);
    return new Response(WITHOUT_BODY.has(response.status) ? null : new Uint8Array(bytes), {
      status: response.status,
      headers: { ...response.headers },
    });
  };
