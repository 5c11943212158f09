import type { Reach } from '@sheaf/db';
import type { MemoryCache } from '@sheaf/process';

/** Figures are so old at most. */
const MAX_AGE_MS = 30_000;

const AREA = { name: 'analytics', sizeOf: (body: unknown) => 2 * JSON.stringify(body).length, ttlMs: MAX_AGE_MS } as const;

/** Who gets the same figures: all who may see everybody's, and each who may see his own. */
const audienceOf = ({ scope, userId }: Reach): string => (scope === 'own' ? `own ${userId}` : scope);

/** The figures that `read` makes, or those that were made a moment ago for the same reach. */
export const keepFigures = <T>(cache: MemoryCache, what: string, reach: Reach, read: () => Promise<T>): Promise<T> =>
  cache.get<T>(AREA, `${what} ${audienceOf(reach)}`, read);
