import ipaddr from 'ipaddr.js';
import { hashToken } from './one-time-tokens.ts';

/** Where a request comes from. */
export interface Client {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  /** The value of the cookie by which a browser is known again that has signed in before. */
  readonly device?: string | undefined;
}

/** 256 bits in base64url. */
const DEVICE_PATTERN = /^[\w-]{43}$/;

/** What a client is known again by: its cookie as a hash, and the block of its address. */
export const originsOf = ({
  device,
  address,
}: Pick<Client, 'device' | 'address'>): { readonly device: string | undefined; readonly address: string | undefined } => ({
  device: device !== undefined && DEVICE_PATTERN.test(device) ? `device:${hashToken(device)}` : undefined,
  address: address === undefined ? undefined : `address:${addressBlock(address)}`,
});

const NETWORK_PARTS = 4;

/** What counts as one address: the address itself, but of IPv6 its /64, as one subscriber may use all addresses of it. */
export const addressBlock = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.process(address); // an IPv4 address mapped into IPv6 is that IPv4 address
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, NETWORK_PARTS);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
};
