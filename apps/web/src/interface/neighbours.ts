/** The documents of the list or search that a document was opened from, in their order; kept for this window, also over a reload. */
const KEY = 'sheaf-neighbours';
/** A list may have millions; who walks on farther than this goes back to it. */
const MOST = 1_000;

export const keepNeighbours = (ids: readonly string[]): void => {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ids.slice(0, MOST)));
  } catch {
    // no storage: then there are no neighbours
  }
};

interface Neighbours {
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

export const neighboursOf = (id: string): Neighbours => {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    const known = Array.isArray(ids) ? ids.map(String) : [];
    const at = known.indexOf(id);
    return at === -1 ? { previous: undefined, next: undefined } : { previous: known[at - 1], next: known[at + 1] };
  } catch {
    return { previous: undefined, next: undefined };
  }
};
