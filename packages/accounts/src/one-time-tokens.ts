import { createHash, randomBytes } from 'node:crypto';

/** What is stored of a token: who reads the table cannot use what they find. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** 256 random bits as text that fits into URLs and cookies. */
export const makeRandomToken = (): string => randomBytes(32).toString('base64url');
