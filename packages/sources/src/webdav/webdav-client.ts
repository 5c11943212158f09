import { Buffer } from 'node:buffer';
import type { Secret } from '@sheaf/contract';
import type { GuardedFetch, GuardedResponse } from '@sheaf/outbound';
import { AuthType, createClient, getPatcher, type RequestOptions } from 'webdav';

export interface WebdavRequest {
  readonly method: 'GET' | 'PROPFIND';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data?: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Asks with the credentials of one source. Any status is an answer; fails as the guarded client does. */
export type WebdavClient = (request: WebdavRequest) => Promise<GuardedResponse>;

/** Under this key a request carries how it is to be sent, so that clients with different policies stay apart. */
const SEND = Symbol('send');

type Send = (options: RequestOptions) => Promise<Response>;
type CarryingRequest = RequestOptions & { readonly [SEND]?: Send };

// The package has one switch for all its clients. It leads to what each request carries along, and nowhere else.
getPatcher().patch('request', async (options): Promise<Response> => {
  const request = options as CarryingRequest;
  const send = request[SEND];
  if (send === undefined) throw new Error('WebDAV request without a guarded client');
  return send(request);
});

/** What the package looks at to sign in. The body is read by us. */
const toPackageResponse = ({ status, headers }: GuardedResponse): Response => {
  const seen = { status, statusText: '', ok: status >= 200 && status < 300, headers: { get: (name: string) => headers[name] ?? null } };
  return seen as unknown as Response;
};

/** The package encodes code units as bytes and knows no characters beyond Latin-1; servers expect UTF-8. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const hasStatus = (error: unknown): boolean => error instanceof Error && 'status' in error;

export interface WebdavCredentials {
  readonly username: string | undefined;
  readonly password: Secret | undefined;
}

const makePackageClient = (url: URL, { username, password }: WebdavCredentials) => {
  const secret = password?.reveal() ?? '';
  if (username === undefined || username === '') return createClient(url.href, { authType: AuthType.None });
  // Basic first; Digest when the server wants it. Digest without a password is nothing that exists.
  const authType = secret === '' ? AuthType.Password : AuthType.Auto;
  return createClient(url.href, { authType, username: asBytes(username), password: asBytes(secret) });
};

/** The `webdav` package signs in, the guarded client sends. */
export const makeWebdavClient = (url: URL, credentials: WebdavCredentials, fetch: GuardedFetch): WebdavClient => {
  const client = makePackageClient(url, credentials);
  return async ({ timeoutMs, ...request }) => {
    let answer: GuardedResponse | undefined;
    const send: Send = async ({ url, method, headers = {}, data, signal }) => {
      answer?.body.destroy();
      answer = await fetch(url, {
        method,
        headers,
        timeoutMs,
        maxResponseBytes: Number.POSITIVE_INFINITY, // whoever reads counts entries, or the bytes of the file
        redirects: 'same_origin',
        ...(typeof data === 'string' ? { body: data } : {}),
        ...(signal === undefined ? {} : { signal }),
      });
      return toPackageResponse(answer);
    };
    try {
      await client.customRequest('', { ...request, [SEND]: send } as CarryingRequest);
    } catch (error) {
      if (answer === undefined || !hasStatus(error)) throw error;
    }
    if (answer === undefined) throw new Error('The WebDAV client sent no request');
    return answer;
  };
};
