import type { ClaimFilter } from '@sheaf/ocr-queue';

/** Which documents a place takes. Places for `urgent` and `short` ones stay free of all others. */
export type Place = 'any' | 'urgent' | 'short';

export interface PlacedJob {
  readonly elapsedMs: number;
  readonly place: Place;
}

/** A document that takes longer than this is a long one: others may be processed beside it, sharing the page readers. */
const LONG_AFTER_MS = 1_000;
/** So many documents more than there are slots, while those in the slots are long ones. */
const GUESTS = 3;
/**
 * Kept for those that must not wait, whatever is processed: an urgent document may be a long one, a short one never is. A short one waits for
 * the database half of its time, so that fewer at once leave cores idle.
 */
const RESERVED = { urgent: 2, short: 3 } as const satisfies Record<Exclude<Place, 'any'>, number>;

/** Documents that are processed at the same time at most. */
export const mostDocuments = (slots: number): number => slots + GUESTS + RESERVED.urgent + RESERVED.short;

export const FILTERS: Readonly<Record<Place, ClaimFilter>> = {
  any: {},
  urgent: { leastPriority: 'urgent' },
  short: { isShort: true },
};

const countIn = (running: readonly PlacedJob[], place: Place): number => running.filter((job) => job.place === place).length;

/** Whether every place that takes all kinds is taken, by long documents as well. */
export const isCrowded = (running: readonly PlacedJob[], slots: number): boolean => countIn(running, 'any') >= slots + GUESTS;

/** The places that are free, in the order in which they are filled. */
export const freePlaces = (running: readonly PlacedJob[], slots: number): Place[] => {
  const inSlots = running.filter(({ place, elapsedMs }) => place === 'any' && elapsedMs < LONG_AFTER_MS).length;
  const places: Place[] = inSlots < slots && !isCrowded(running, slots) ? ['any'] : [];
  for (const place of ['urgent', 'short'] as const) if (countIn(running, place) < RESERVED[place]) places.push(place);
  return places;
};
