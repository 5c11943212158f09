import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { lateLibrary } from '@sheaf/process/late-library';
import type { Agent } from 'undici';
import { OutboundError } from './outbound-error.ts';
import type { AddressCheck } from './outbound-policy.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>;

export const resolveBySystem: ResolveName = (name) => lookup(name, { all: true });

export interface OutboundTimes {
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
export const checkLiteralHost = (hostname: string, check: AddressCheck): void => {
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
export const makeGuardedAgent = (check: AddressCheck, resolve: ResolveName, times: OutboundTimes): Agent => {
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
