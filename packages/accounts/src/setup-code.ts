import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@sheaf/contract';
import { readTypedCode, toTypedCode } from './typed-code.ts';

/**
 * What proves that somebody who creates the first administrator can read the log of this service. It follows from APP_SECRET_KEY, so
 * that each start and each process prints the same one, and counts only while no user exists.
 */
export const setupCodeOf = (appSecretKey: Secret): string =>
  toTypedCode(createHmac('sha256', appSecretKey.reveal()).update('sheaf:setup-code').digest());

/** Whether `typed` is that code, however it is spaced and capitalised; in constant time for anything of the form of a code. */
export const isSetupCode = (typed: string, appSecretKey: Secret): boolean => {
  const code = readTypedCode(typed);
  const expected = readTypedCode(setupCodeOf(appSecretKey));
  return code !== undefined && expected !== undefined && timingSafeEqual(Buffer.from(code), Buffer.from(expected));
};
