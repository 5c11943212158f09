import { randomUUID } from 'node:crypto';

/**
 * A UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then random bits. Rows made one after the other get
 * neighbouring keys, so indexes grow at their end. The random part is not ordered within one millisecond.
 */
export const uuidv7 = (nowMs: number = Date.now()): string => {
  const time = nowMs.toString(16).padStart(12, '0');
  // of version 4, for which Node has random bytes in store: its version and what stands before it are replaced
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};
