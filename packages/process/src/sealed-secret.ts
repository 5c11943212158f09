import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from '@sheaf/contract';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Which key sealed a text, so that another one can follow while old texts stay readable. */
const KEY_ID = 'k1';

/** What a sealed text is for. It opens only for the same owner and purpose, so that it cannot be moved to another row. */
export interface SealContext {
  readonly ownerId: string;
  /** Such as `totp`. */
  readonly purpose: string;
}

const keyOf = (secretKey: Secret, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secretKey.reveal(), '', `sheaf:seal:${KEY_ID}:${purpose}`, KEY_BYTES));

const associatedData = ({ ownerId, purpose }: SealContext): Buffer => Buffer.from(JSON.stringify([KEY_ID, purpose, ownerId]));

/** `bytes` encrypted for rest, as `<key id>.<base64url>`. */
export const sealSecret = (bytes: Uint8Array, secretKey: Secret, context: SealContext): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secretKey, context.purpose), nonce).setAAD(associatedData(context));
  const sealed = Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  return `${KEY_ID}.${sealed.toString('base64url')}`;
};

/** What `sealSecret` was given. Undefined when the text was altered, is another owner's, or was sealed with another key. */
export const openSecret = (sealed: string, secretKey: Secret, context: SealContext): Uint8Array | undefined => {
  const [keyId, text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  if (keyId !== KEY_ID || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, keyOf(secretKey, context.purpose), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(associatedData(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined; // the tag does not fit: the only way that this fails
  }
};
