const DAY_MS = 24 * 3_600_000;

/** Whole days until `purgeAt`, a part of a day counting as one; 0 where it is due. */
export const daysLeft = (purgeAt: string, nowMs: number): number => Math.max(0, Math.ceil((Date.parse(purgeAt) - nowMs) / DAY_MS));
