import { randomUUID } from 'node:crypto';

const COUNTER_BITS = 12;
const MAX_COUNTER = 2 ** COUNTER_BITS - 1;
const HEX_DIGITS = COUNTER_BITS / 4;

let lastMs = 0;
let counter = 0;

/** Begins somewhere in the lower half, so that a millisecond has room for 2,048 more. */
const nextCounter = (nowMs: number, random: string): number =>
  nowMs === lastMs ? Math.min(counter + 1, MAX_COUNTER) : Number.parseInt(random.slice(0, HEX_DIGITS), 16) >> 1;

/**
 * A UUID version 7: 48 bits of Unix milliseconds, 12 of a counter, then random bits (RFC 9562, section 6.2, method 1). Rows made one after
 * the other by one process get keys in their order, those of others neighbouring keys, so indexes grow at their end.
 */
export const uuidv7 = (nowMs: number = Date.now()): string => {
  const time = nowMs.toString(16).padStart(12, '0');
  // of version 4, for which Node has random bytes in store: its version and what stands before it are replaced
  const random = randomUUID().slice(15);
  counter = nextCounter(nowMs, random);
  lastMs = nowMs;
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(HEX_DIGITS, '0')}${random.slice(HEX_DIGITS)}`;
};
