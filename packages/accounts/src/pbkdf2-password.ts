import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);

/** Two seconds of a core; what asks for more is no hash that this service takes over. */
const MAX_ITERATIONS = 2_000_000;
const KEY_BYTES = 32;
const PBKDF2 = /^pbkdf2_sha256\$(\d{1,7})\$([A-Za-z0-9+/=._-]{1,128})\$([A-Za-z0-9+/]{43}=)$/;

interface Pbkdf2Hash {
  readonly iterations: number;
  readonly salt: string;
  readonly key: Buffer;
}

const parse = (passwordHash: string): Pbkdf2Hash | undefined => {
  const [, iterations = '', salt = '', key = ''] = PBKDF2.exec(passwordHash) ?? [];
  const count = Number(iterations);
  return count < 1 || count > MAX_ITERATIONS ? undefined : { iterations: count, salt, key: Buffer.from(key, 'base64') };
};

/** Whether it is a hash of another system that a user can sign in with once: `pbkdf2_sha256$iterations$salt$key`. */
export const isImportedHash = (passwordHash: string): boolean => parse(passwordHash) !== undefined;

/** Whether `password`, as it was typed, belongs to the hash. */
export const verifyImportedHash = async (password: string, passwordHash: string): Promise<boolean> => {
  const expected = parse(passwordHash);
  if (expected === undefined) return false;
  const key = await derive(password, expected.salt, expected.iterations, KEY_BYTES, 'sha256');
  return timingSafeEqual(key, expected.key);
};
