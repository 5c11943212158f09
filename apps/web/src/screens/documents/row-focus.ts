import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { DocumentWindow } from './document-window.ts';

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
