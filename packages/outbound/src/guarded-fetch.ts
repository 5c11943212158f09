import type { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { lateLibrary } from '@sheaf/process/late-library';
import type { Response } from 'undici';
import { checkLiteralHost, makeGuardedAgent, type OutboundTimes, type ResolveName, resolveBySystem } from './outbound-agent.ts';
import { limitBody, tooLarge } from './outbound-body.ts';
import { isOfKeptConnection, OutboundError, toOutboundError } from './outbound-error.ts';
import { type AddressCheck, makeAddressCheck, type OutboundPolicy } from './outbound-policy.ts';
import { checkSameOrigin, type Hop, isRedirect, isRepeatable, nextHop, type OutboundBody, parseTarget } from './outbound-redirect.ts';

export interface GuardedRequest {
  /** GET where none is given. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: OutboundBody;
  readonly signal?: AbortSignal;
  /** For the whole of it: redirects, headers and body. 30 seconds where none is given. */
  readonly timeoutMs?: number;
  /** Of the body as it is read, after any decompression. 16 MiB where none is given. */
  readonly maxResponseBytes?: number;
  /** 5 where none is given; 0 follows none. */
  readonly maxRedirects?: number;
  /** `same_origin` refuses every redirect that leaves scheme, host and port. `any` where none is given. */
  readonly redirects?: 'any' | 'same_origin';
}

export interface GuardedResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** Read it or destroy it: until then it holds the connection. Fails with an OutboundError, or with the signal's reason. */
  readonly body: Readable;
}

/** Throws OutboundError; throws the signal's reason when aborted. Any status is an answer. */
export type GuardedFetch = (url: string | URL, request?: GuardedRequest) => Promise<GuardedResponse>;

export interface GuardedFetchOptions extends Partial<OutboundTimes> {
  readonly userAgent: string;
  readonly resolve?: ResolveName;
}

const DEFAULTS = { timeoutMs: 30_000, maxResponseBytes: 16 * 1024 * 1024, maxRedirects: 5 };
const TIMES: OutboundTimes = { connectTimeoutMs: 10_000, headersTimeoutMs: 60_000, idleTimeoutMs: 60_000 };

/**
 * The one way in which this service sends requests elsewhere. Every host on the way, redirects included, is resolved and judged
 * by the policy, and the connection goes to the very address that was judged.
 */
export const makeGuardedFetch = (
  policy: OutboundPolicy,
  { userAgent, resolve = resolveBySystem, ...times }: GuardedFetchOptions,
): GuardedFetch => {
  const check = makeAddressCheck(policy);
  const dispatcher = makeGuardedAgent(check, resolve, { ...TIMES, ...times });
  const send = (hop: Hop, signal: AbortSignal): Promise<Response> => sendAgain(hop, () => sendHop(hop, signal, check, dispatcher));
  return async (url, request = {}) => {
    request.signal?.throwIfAborted();
    const { maxRedirects = DEFAULTS.maxRedirects, maxResponseBytes = DEFAULTS.maxResponseBytes } = request;
    const call = new Call(request.signal, request.timeoutMs ?? DEFAULTS.timeoutMs);
    try {
      const first = firstHop(url, request, userAgent);
      const rules = { maxRedirects, redirects: request.redirects ?? 'any' };
      const { response, hop } = await followRedirects(first, rules, (next) => call.of(next.url.host, send(next, call.signal)));
      return toGuardedResponse(response, hop, maxResponseBytes, call);
    } catch (error) {
      call.end();
      throw error;
    }
  };
};

const firstHop = (url: string | URL, { method = 'GET', headers = {}, body }: GuardedRequest, userAgent: string): Hop => {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  // Compressed answers save little between servers and cost a check against bombs: they are not asked for.
  return {
    url: parseTarget(url),
    method: method.toUpperCase(),
    headers: { 'accept-encoding': 'identity', 'user-agent': userAgent, ...Object.fromEntries(named) },
    body,
  };
};

/** A server may close a kept connection in the moment in which it is used again: such a request goes out a second time, once. */
const sendAgain = async (hop: Hop, send: () => Promise<Response>): Promise<Response> => {
  try {
    return await send();
  } catch (error) {
    if (!isRepeatable(hop) || !isOfKeptConnection(error)) throw error;
    return await send();
  }
};

const sendHop = async (hop: Hop, signal: AbortSignal, check: AddressCheck, dispatcher: ReturnType<typeof makeGuardedAgent>) => {
  checkLiteralHost(hop.url.hostname, check);
  const { url, method, headers, body } = hop;
  return lateLibrary('undici').fetch(url, {
    method,
    headers,
    redirect: 'manual',
    signal,
    dispatcher,
    ...(body === undefined ? {} : { body, duplex: 'half' }),
  });
};

type RedirectRules = Required<Pick<GuardedRequest, 'maxRedirects' | 'redirects'>>;

const followRedirects = async (first: Hop, { maxRedirects, redirects }: RedirectRules, send: (hop: Hop) => Promise<Response>) => {
  let hop = first;
  for (let followed = 0; ; followed += 1) {
    const response = await send(hop);
    const location = response.headers.get('location');
    if (!isRedirect(response.status, location)) return { response, hop };
    await response.body?.cancel().catch(() => {}); // whether the connection ends well does not matter: its answer is not wanted
    if (followed >= maxRedirects)
      throw new OutboundError('too_many_redirects', `${first.url.host} redirects more than ${maxRedirects} times`);
    if (redirects === 'same_origin') checkSameOrigin(hop, location);
    hop = nextHop(hop, response.status, location);
  }
};

const toGuardedResponse = (response: Response, { url, method }: Hop, maxBytes: number, call: Call): GuardedResponse => {
  const { host } = url;
  const announced = method === 'HEAD' ? 0 : Number(response.headers.get('content-length') ?? 0);
  if (announced > maxBytes) {
    call.end();
    throw tooLarge(host, maxBytes);
  }
  const body = response.body as ReadableStream<Uint8Array> | null; // undici types it as a stream of anything
  const limits = { maxBytes, host, translate: (error: unknown) => call.translate(error, host), release: () => call.end() };
  return { status: response.status, headers: Object.fromEntries(response.headers), url: url.href, body: limitBody(body, limits) };
};

/** The limits of one call: its time, and the caller's signal. */
class Call {
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  #isLate = false;

  constructor(caller: AbortSignal | undefined, timeoutMs: number) {
    this.#caller = caller;
    this.signal = caller === undefined ? this.#abort.signal : AbortSignal.any([caller, this.#abort.signal]);
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#abort.abort();
    }, timeoutMs);
  }

  /** Releases the timer and, where the answer was not read to its end, the connection. */
  end(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async of<T>(host: string, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw this.translate(error, host);
    }
  }

  translate(error: unknown, host: string): Error {
    if (this.#caller?.aborted === true) {
      const reason: unknown = this.#caller.reason;
      return reason instanceof Error ? reason : new Error('The request was cancelled', { cause: reason });
    }
    return this.#isLate ? new OutboundError('timeout', `Request to ${host} failed: timeout`) : toOutboundError(error, host);
  }
}
