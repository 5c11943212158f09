import { addressBlock } from './address-block.ts';
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
