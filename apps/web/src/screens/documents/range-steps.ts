/** Rows from the first to the last of them; undefined where there are none. */
export type Rows = readonly [first: number, last: number] | undefined;

/** The rows from `from` to `to` that are not among those from `from` to `other`. */
const beyond = (from: number, to: number, other: number): Rows => {
  const isDown = to >= from;
  // on the other side of `from`, all but that one are beyond
  const start = isDown ? Math.max(from, other) + 1 : Math.min(from, other) - 1;
  if (isDown ? start > to : start < to) return undefined;
  return isDown ? [start, to] : [to, start];
};

interface Step {
  readonly added: Rows;
  readonly removed: Rows;
}

/** What comes into a range and leaves it when its end is moved; where it began stays in it. */
export const moveEnd = (anchor: number, from: number, to: number): Step => ({
  added: beyond(anchor, to, from),
  removed: beyond(anchor, from, to),
});
