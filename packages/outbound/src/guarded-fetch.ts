import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Readable, Transform } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { callbackify } from 'node:util';
import { lateLibrary } from '@sheaf/process/late-library';
import ipaddr from 'ipaddr.js';
import type { Agent, Response } from 'undici';
import {
  checkSameOrigin,
  type Hop,
  isOfKeptConnection,
  isRedirect,
  isRepeatable,
  nextHop,
  type OutboundBody,
  OutboundError,
  parseTarget,
  toOutboundError,
} from './outbound-redirect.ts';

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
 * The only way that this service sends requests elsewhere. Every host on the way, redirects included, is resolved and judged
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

interface BodyLimits {
  readonly maxBytes: number;
  readonly host: string;
  /** What an error of the connection means to the caller. */
  readonly translate: (error: unknown) => Error;
  /** Called once, when the body has ended in whatever way. */
  readonly release: () => void;
}

const tooLarge = (host: string, maxBytes: number): OutboundError =>
  new OutboundError('too_large', `The response of ${host} exceeds ${maxBytes} bytes`);

/** The body as a stream that ends with an error at the limit. Destroying it ends the connection. */
const limitBody = (body: ReadableStream<Uint8Array> | null, { maxBytes, host, translate, release }: BodyLimits): Readable => {
  const source = body === null ? Readable.from([]) : Readable.fromWeb(body);
  let bytes = 0;
  const limited = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) done(tooLarge(host, maxBytes));
      else done(null, chunk);
    },
    destroy(error, done) {
      source.destroy();
      release();
      done(error);
    },
  });
  source.on('error', (error) => limited.destroy(translate(error)));
  // Who looks at the status alone leaves the body unread: its error must not end the process. Readers still get it.
  limited.on('error', () => {});
  return source.pipe(limited);
};

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>;

const resolveBySystem: ResolveName = (name) => lookup(name, { all: true });

interface OutboundTimes {
  readonly connectTimeoutMs: number;
  /** From the end of the request to the end of the response's headers. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of the response's body. */
  readonly idleTimeoutMs: number;
}

const MAX_HEADER_BYTES = 32 * 1024;

const refusal = (host: string, address: string, reason: string): OutboundError =>
  new OutboundError('refused_address', host === address ? `${host} is ${reason}` : `${host} resolves to ${address}, ${reason}`);

/** A host written as an address is connected to without being looked up, so it is judged before. */
const checkLiteralHost = (hostname: string, check: AddressCheck): void => {
  const address = hostname.replace(/^\[|\]$/g, '');
  const reason = isIP(address) === 0 ? undefined : check(address);
  if (reason !== undefined) throw refusal(address, address, reason);
};

/** Those addresses of a name that may be connected to. Throws where there is none. */
const resolveChecked = async (name: string, check: AddressCheck, resolve: ResolveName): Promise<readonly ResolvedAddress[]> => {
  const judged = (await resolve(name)).map((found) => ({ ...found, reason: check(found.address) }));
  const fit = judged.filter(({ reason }) => reason === undefined);
  const [refused] = judged;
  if (refused === undefined) throw new OutboundError('dns', `${name} has no address`);
  if (fit.length === 0) throw refusal(name, refused.address, refused.reason ?? '');
  return fit.map(({ address, family }) => ({ address, family }));
};

/**
 * Connects only to addresses that were judged: what the name resolves to is checked in the very lookup whose answer the socket
 * takes, so a name that changes its address between check and use gains nothing.
 */
const makeGuardedAgent = (check: AddressCheck, resolve: ResolveName, times: OutboundTimes): Agent => {
  const resolveFor = callbackify((name: string) => resolveChecked(name, check, resolve));
  const lookupChecked: LookupFunction = (name, options, callback) =>
    resolveFor(name, (error, found) => {
      const [first] = error === null ? found : [];
      if (first === undefined) callback(error, '', 0);
      else if (options.all === true) callback(null, [...found]);
      else callback(null, first.address, first.family);
    });
  const { Agent } = lateLibrary('undici');
  return new Agent({
    connect: { lookup: lookupChecked, timeout: times.connectTimeoutMs },
    headersTimeout: times.headersTimeoutMs,
    bodyTimeout: times.idleTimeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // the limit on headers is one of HTTP/1
    allowH2: false,
  });
};

/** Which addresses requests of ours may go to. */
export interface OutboundPolicy {
  /** OUTBOUND_ALLOWED_NETWORKS: CIDR or single addresses, allowed whatever they are, except where nothing ever is. */
  readonly allowedNetworks: readonly string[];
  /** OUTBOUND_DENY_PRIVATE. */
  readonly denyPrivate: boolean;
}

/** Says why an address is refused; undefined when it may be connected to. */
type AddressCheck = (address: string) => string | undefined;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

const parseNetwork = (text: string): Network => {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
};

/** Where machines of the large clouds hand out credentials to whoever asks from inside. Link-local ones are covered by their range. */
const METADATA = ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map(parseNetwork);

const isIn = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

const isZero = (bytes: readonly number[]): boolean => bytes.every((byte) => byte === 0);

/** The IPv4 address that a gateway or the system itself would make of an IPv6 address. */
const embeddedIpv4 = (address: ipaddr.IPv6): ipaddr.IPv4 | undefined => {
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  const isTranslated = range === 'ipv4Mapped' || range === 'rfc6145' || (range === 'rfc6052' && isZero(bytes.slice(4, 12)));
  const isCompatible = isZero(bytes.slice(0, 12)) && range !== 'unspecified' && range !== 'loopback';
  return isTranslated || isCompatible ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
};

type AddressKind = 'public' | 'private' | 'loopback' | 'unspecified' | 'multicast' | 'broadcast' | 'link-local' | 'reserved';

/** By the ranges of the library; what is not listed here is set aside for something that is no host of anyone's. */
const KINDS: Readonly<Record<string, AddressKind>> = {
  unicast: 'public',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
  deprecatedSiteLocal: 'private',
  loopback: 'loopback',
  unspecified: 'unspecified',
  multicast: 'multicast',
  broadcast: 'broadcast',
  linkLocal: 'link-local',
};

const kindOf = (address: Address): AddressKind => KINDS[address.range()] ?? 'reserved';

/** Throws when a network of the policy is none; the configuration checks that first. */
export const makeAddressCheck = ({ allowedNetworks, denyPrivate }: OutboundPolicy): AddressCheck => {
  const allowed = allowedNetworks.map(parseNetwork);
  return (text) => {
    if (isIP(text) === 0) return 'no address';
    const address = ipaddr.parse(text);
    const embedded = address instanceof ipaddr.IPv6 ? embeddedIpv4(address) : undefined;
    const forms = embedded === undefined ? [address] : [address, embedded];
    if (forms.some((form) => isIn(form, METADATA))) return 'a metadata address';
    if (forms.some((form) => kindOf(form) === 'link-local')) return 'a link-local address';
    if (forms.some((form) => isIn(form, allowed))) return undefined;
    const kind = kindOf(embedded ?? address);
    if (kind === 'public' || (kind === 'private' && !denyPrivate)) return undefined;
    return `a ${kind} address and not in OUTBOUND_ALLOWED_NETWORKS`;
  };
};
