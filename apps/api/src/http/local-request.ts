import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import { isLoopbackHost } from './own-origin.ts';

/** What proxies write to tell for whom they ask. */
const FORWARDING = /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-original-.*|true-client-ip|cf-.*|fly-.*)$/;

const isLoopbackAddress = (address: string): boolean => ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** What is looked at of a request. */
export interface Arrival {
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Whether a program of this machine sent the request, and for itself: its connection comes from loopback, it asks for loopback, and
 * nothing tells that it passes on what somebody else asked. No setting about proxies makes a request local. HTTP/1.0 is what nginx
 * speaks to what it stands before when nothing is configured, without any such header.
 */
export const isLocalRequest = ({ httpVersion, headers, socket }: Arrival): boolean =>
  httpVersion !== '1.0' &&
  isLoopbackAddress(socket.remoteAddress ?? '') &&
  isLoopbackHost(headers.host ?? '') &&
  !Object.keys(headers).some((name) => FORWARDING.test(name));
