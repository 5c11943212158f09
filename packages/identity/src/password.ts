import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { validationError } from '@sheaf/contract';

/** OWASP's second choice for argon2id: 19 MiB, two passes, one lane; about 20 ms. */
const PARAMETERS = { algorithm: 2 /* argon2id */, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFKC'), PARAMETERS);

/** Checked when there is no user or no password, so that both cases cost the same time. */
const decoy = hashPassword(randomBytes(16).toString('hex'));

/** Whether `password` belongs to `passwordHash`; false, after the same time, where there is none. */
export const verifyPassword = async (password: string, passwordHash: string | null | undefined): Promise<boolean> => {
  const isRight = await verify(passwordHash ?? (await decoy), password.normalize('NFKC'));
  return isRight && typeof passwordHash === 'string';
};

/** Throws VALIDATION_ERROR when the password is shorter than `minLength` characters. */
export const requireGoodPassword = (password: string, minLength: number): void => {
  if (Array.from(password).length < minLength) {
    throw validationError(`The password must have at least ${minLength} characters`, {
      issues: [{ path: 'password', message: `must have at least ${minLength} characters` }],
    });
  }
};
