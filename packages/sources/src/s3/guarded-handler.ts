import type { GuardedFetch } from '@sheaf/outbound';
import { REQUEST_TIMEOUTS_MS } from '../driver-limits.ts';

/** What the SDK hands to the one that sends. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Record<string, string | string[] | null>;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

interface SdkHandler {
  handle(request: SdkRequest, options?: { readonly abortSignal?: unknown }): Promise<{ response: SdkResponse }>;
  destroy(): void;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): object;
}

const MAX_LISTING_BYTES = 16 * 1024 * 1024;

const escapeReserved = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
const encode = (text: string): string => encodeURIComponent(text).replaceAll(/[!'()*]/g, escapeReserved);

const queryOf = (query: SdkRequest['query'] = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === null ? [encode(name)] : [value].flat().map((one) => `${encode(name)}=${encode(one)}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

const urlOf = ({ protocol, hostname, port, path, query }: SdkRequest): string =>
  `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${queryOf(query)}`;

/** Objects may be of any size; everything else that a bucket answers is short. */
const limitsOf = ({ query = {} }: SdkRequest) =>
  query['x-id'] === 'GetObject'
    ? { maxResponseBytes: Number.POSITIVE_INFINITY, timeoutMs: REQUEST_TIMEOUTS_MS.download }
    : { maxResponseBytes: MAX_LISTING_BYTES, timeoutMs: REQUEST_TIMEOUTS_MS.check * 4 };

/** Lets the SDK send through the guarded client, and in no other way. Only requests without a body are known. */
export const makeGuardedHandler = (fetch: GuardedFetch): SdkHandler => ({
  handle: async (request, { abortSignal } = {}) => {
    const { host: _host, ...headers } = request.headers; // it follows from the address
    const {
      status,
      headers: answered,
      body,
    } = await fetch(urlOf(request), {
      method: request.method,
      headers,
      redirects: 'same_origin',
      ...limitsOf(request),
      ...(abortSignal instanceof AbortSignal ? { signal: abortSignal } : {}),
    });
    return { response: { statusCode: status, headers: { ...answered }, body } };
  },
  destroy: () => {}, // its connections are the guarded client's
  updateHttpClientConfig: () => {},
  httpHandlerConfigs: () => ({}),
});
