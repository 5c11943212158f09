import type { ClaimFilter } from '@sheaf/queue';

/** Which documents a place takes. Places for `urgent` and `short` ones stay free of all others. */
export type Place = 'any' | 'urgent' | 'short';

export interface PlacedJob {
  readonly elapsedMs: number;
  /** How many pages it had to recognise when it began with the first; 0 until then. */
  readonly pagesToRecognise: number;
  readonly place: Place;
}

/** How much a process does at the same time. */
export interface Capacity {
  /** Documents. */
  readonly slots: number;
  /** Pages that are recognised. */
  readonly readers: number;
}

/** A document that takes longer than this is a long one: others are processed beside it, sharing the page readers. */
const LONG_AFTER_MS = 1_000;
/** So many documents more than there are slots at least, while those in the slots are long ones. */
const LEAST_GUESTS = 3;
/** So many more than there are page readers, so that a page waits for each reader while documents are opened and finished. */
const BEYOND_READERS = 2;
/**
 * Kept for those that must not wait, whatever is processed: an urgent document may be a long one, a short one never is. A short one waits for
 * the database half of its time, so that fewer at once leave cores idle.
 */
const RESERVED = { urgent: 2, short: 3 } as const satisfies Record<Exclude<Place, 'any'>, number>;

const mostOfAnyKind = ({ slots, readers }: Capacity): number => Math.max(slots + LEAST_GUESTS, readers + BEYOND_READERS);

/** Documents that are processed at the same time at most. */
export const mostDocuments = (capacity: Capacity): number => mostOfAnyKind(capacity) + RESERVED.urgent + RESERVED.short;

export const FILTERS: Readonly<Record<Place, ClaimFilter>> = {
  any: {},
  urgent: { leastPriority: 'urgent' },
  short: { isShort: true },
};

const countIn = (running: readonly PlacedJob[], place: Place): number => running.filter((job) => job.place === place).length;

/** Whether every place that takes all kinds is taken, by long documents as well. */
export const isCrowded = (running: readonly PlacedJob[], capacity: Capacity): boolean => countIn(running, 'any') >= mostOfAnyKind(capacity);

/**
 * Whether further documents would give the page readers more to do. Else they are left to other hosts, whose readers may be idle, until those
 * here are long ones.
 */
const hasReadersLeft = (running: readonly PlacedJob[], { readers }: Capacity): boolean =>
  running.reduce((pages, { pagesToRecognise }) => pages + pagesToRecognise, 0) < readers + BEYOND_READERS;

const isShortSoFar = ({ place, elapsedMs }: PlacedJob): boolean => place === 'any' && elapsedMs < LONG_AFTER_MS;

/** Milliseconds until one of them becomes a long one by its time alone; undefined where none does. */
export const nextLongMs = (running: readonly PlacedJob[]): number | undefined => {
  const left = running.filter((job) => isShortSoFar(job) && job.pagesToRecognise === 0).map(({ elapsedMs }) => LONG_AFTER_MS - elapsedMs);
  return left.length === 0 ? undefined : Math.min(...left);
};

/** The places that are free, in the order in which they are filled. */
export const freePlaces = (running: readonly PlacedJob[], capacity: Capacity): Place[] => {
  const makesRoom = hasReadersLeft(running, capacity);
  const inSlots = running.filter((job) => isShortSoFar(job) && !(makesRoom && job.pagesToRecognise > 0)).length;
  const places: Place[] = inSlots < capacity.slots && !isCrowded(running, capacity) ? ['any'] : [];
  for (const place of ['urgent', 'short'] as const) if (countIn(running, place) < RESERVED[place]) places.push(place);
  return places;
};
