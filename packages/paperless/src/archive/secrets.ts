import { createDecipheriv, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { CryptoParameters } from './metadata.ts';

const deriveKey = promisify(pbkdf2);

/** Version, time, initialization vector; the encrypted text; the signature. */
const VERSION_BYTE = 0x80;
const IV_AT = 9;
const TEXT_AT = 25;
const SIGNATURE_BYTES = 32;
const BLOCK_BYTES = 16;
const HALF_KEY = 16;
const MAX_CHARS = 1024 * 1024;
const HEX = /^(?:[0-9a-f]{2})+$/i;
const BASE64_URL = /^[\w-]+={0,2}$/;

/** Returns the plain text of an encrypted value; undefined where it is none, or was encrypted with another key. */
export type Decrypt = (value: string) => string | undefined;

/** Values are Fernet tokens, written as hexadecimal digits: AES-128-CBC, signed by HMAC-SHA256. */
const openToken = (key: Buffer, value: string): string | undefined => {
  if (value.length > MAX_CHARS || !HEX.test(value)) return undefined;
  const text = Buffer.from(value, 'hex').toString('latin1');
  if (!BASE64_URL.test(text)) return undefined;
  const token = Buffer.from(text, 'base64url');
  const signatureAt = token.length - SIGNATURE_BYTES;
  if (token[0] !== VERSION_BYTE || signatureAt < TEXT_AT + BLOCK_BYTES || (signatureAt - TEXT_AT) % BLOCK_BYTES !== 0) return undefined;
  const signature = createHmac('sha256', key.subarray(0, HALF_KEY)).update(token.subarray(0, signatureAt)).digest();
  if (!timingSafeEqual(signature, token.subarray(signatureAt))) return undefined;
  try {
    const cipher = createDecipheriv('aes-128-cbc', key.subarray(HALF_KEY), token.subarray(IV_AT, TEXT_AT));
    return Buffer.concat([cipher.update(token.subarray(TEXT_AT, signatureAt)), cipher.final()]).toString();
  } catch {
    return undefined; // signed with the key, and no text all the same
  }
};

/** What opens the secrets of an export. Deriving the key takes up to some seconds, in a thread of its own. */
export const makeDecrypt = async (parameters: CryptoParameters, passphrase: string): Promise<Decrypt> => {
  const salt = Buffer.from(parameters.__salt_hex__, 'hex');
  const key = await deriveKey(passphrase, salt, parameters.__key_iters__, parameters.__key_size__, 'sha256');
  return (value) => openToken(key, value);
};
