import type { TrustedProxies } from '@sheaf/config';
import type { Express, Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * Tells express whose X-Forwarded-For and X-Forwarded-Proto count. Without proxies nobody's do, so that a client can say
 * what it likes in them and still is where its connection comes from.
 */
export const trustProxies = (app: Express, proxies: TrustedProxies): void => {
  app.set('trust proxy', typeof proxies === 'number' ? proxies : [...proxies]);
};

/** 192.0.2.1, and what some proxies make of it: 192.0.2.1:5555, [2001:db8::1]:5555. */
const withoutPort = (text: string): string => /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;

const parse = (text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const address = withoutPort(text ?? '');
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  return ipaddr.process(address); // an IPv4 address in the dress of IPv6 is that IPv4 address
};

/**
 * Where the request comes from, as an address in its usual spelling; undefined when the connection is gone. What a trusted
 * proxy passes on and is no address is not believed: the proxy's own address stands for it.
 */
export const clientAddress = (request: Request): string | undefined =>
  (parse(request.ip) ?? parse(request.socket.remoteAddress))?.toString();
