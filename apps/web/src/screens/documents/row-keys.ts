import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { DocumentWindow } from './document-window.ts';

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

interface Options {
  readonly frame: RefObject<HTMLElement | null>;
  readonly window: Pick<DocumentWindow, 'known'>;
  readonly total: number;
  /** Names the list: another one begins at its first row. */
  readonly listKey: string;
  /** Scrolls to a row. */
  readonly show: (index: number) => void;
}

interface RowFocus {
  /** The only row that the Tab key reaches. It exists also where it is far from the window. */
  readonly current: number;
  /** Moves the focus to a row. */
  readonly moveTo: (index: number) => void;
  /** To be told which row has got the focus. */
  readonly arrive: (index: number) => void;
}

/** Nobody is elsewhere yet: the heading has the focus where a screen has just come. */
const isFocusFree = (): boolean => document.activeElement === document.body || document.activeElement?.tagName === 'H1';

/** Which row has the focus, or would get it; the one that was opened when one comes back. */
export const useRowFocus = ({ frame, window, total, listKey, show }: Options): RowFocus => {
  const [chosen, setChosen] = useState(() => ({ index: openedRow()?.index ?? 0, listKey }));
  const index = chosen.listKey === listKey ? chosen.index : 0;
  const current = Math.max(0, Math.min(index, total - 1));
  /** The focus goes there as soon as the row exists. */
  const isAwaited = useRef(false);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    // the row that had the focus may be gone, being the last one of what was deleted
    const isLost = hadFocus.current && document.activeElement === document.body;
    if (!isAwaited.current && !isLost) return;
    isAwaited.current = false;
    frame.current?.querySelector<HTMLElement>(`[data-index="${current}"]`)?.focus({ preventScroll: true });
  });
  useEffect(() => {
    const watch = (): void => {
      if (document.activeElement !== document.body) hadFocus.current = frame.current?.contains(document.activeElement) === true;
    };
    document.addEventListener('focusin', watch);
    return () => document.removeEventListener('focusin', watch);
  }, [frame]);
  const moveTo = (next: number): void => {
    isAwaited.current = true;
    setChosen({ index: next, listKey });
    show(next);
  };

  // only once, when the list is there
  const comeBack = (): void => {
    const opened = openedRow();
    forgetOpenedRow();
    if (opened === undefined || !isFocusFree()) return;
    moveTo(window.known.find(([, { id }]) => id === opened.id)?.[0] ?? Math.min(opened.index, total - 1));
  };
  const first = useRef(comeBack);
  useLayoutEffect(() => first.current(), []);
  const arrive = (next: number): void =>
    setChosen((before) => (before.index === next && before.listKey === listKey ? before : { index: next, listKey }));
  return { current, moveTo, arrive };
};

/** Which row was opened last, kept in the browser's history beside the address of the list. */
const NAME = 'openedRow';

interface OpenedRow {
  readonly index: number;
  readonly id: string;
}

const stateNow = (): Readonly<Record<string, unknown>> => {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null ? (state as Record<string, unknown>) : {};
};

/** To be called before the list is left for a document. */
export const keepOpenedRow = (row: OpenedRow): void => history.replaceState({ ...stateNow(), [NAME]: row }, '');

/** The row that was opened, where one has come back to the list. */
const openedRow = (): OpenedRow | undefined => stateNow()[NAME] as OpenedRow | undefined;

/** After it the list begins at its beginning again, as on a reload. */
const forgetOpenedRow = (): void => {
  if (openedRow() !== undefined) history.replaceState({ ...stateNow(), [NAME]: undefined }, '');
};

/** As in mail programs. */
const KEYS_LIKE: Readonly<Record<string, string>> = { j: 'ArrowDown', k: 'ArrowUp' };

export interface RowKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

interface Place {
  readonly current: number;
  readonly total: number;
  /** Documents beside each other. */
  readonly columns: number;
  /** Rows that the window shows. */
  readonly pageRows: number;
}

export type RowCommand =
  | { readonly does: 'move'; readonly to: number; readonly isExtending: boolean }
  | { readonly does: 'toggle'; readonly isRange: boolean }
  | { readonly does: 'open' | 'remove' | 'selectAll' | 'clear' };

const moveOf = (name: string, { current, total, columns, pageRows }: Place): number | undefined => {
  switch (name) {
    case 'ArrowDown':
      return current + columns;
    case 'ArrowUp':
      return current - columns;
    case 'ArrowRight':
      return columns > 1 ? current + 1 : undefined;
    case 'ArrowLeft':
      return columns > 1 ? current - 1 : undefined;
    case 'PageDown':
      return current + pageRows * columns;
    case 'PageUp':
      return current - pageRows * columns;
    case 'Home':
      return 0;
    case 'End':
      return total - 1;
    default:
      return undefined;
  }
};

/** What a key means on a row of the list; undefined where it is none of the list's. */
export const commandOf = ({ key, shiftKey, ctrlKey, metaKey, altKey }: RowKey, place: Place): RowCommand | undefined => {
  const name = key.length === 1 ? key.toLowerCase() : key; // Shift makes another letter of it
  if (altKey) return undefined;
  if (ctrlKey || metaKey) return name === 'a' ? { does: 'selectAll' } : undefined;
  const to = moveOf(KEYS_LIKE[name] ?? name, place);
  if (to !== undefined) return { does: 'move', to: Math.max(0, Math.min(place.total - 1, to)), isExtending: shiftKey };
  switch (name) {
    case ' ':
    case 'x':
      return { does: 'toggle', isRange: shiftKey };
    case 'Enter':
      return { does: 'open' };
    case 'Delete':
      return { does: 'remove' };
    case 'Escape':
      return { does: 'clear' };
    default:
      return undefined;
  }
};
