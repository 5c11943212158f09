import { type DragEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { SheetTile } from './sheet-tile.tsx';
import { extendTo, NO_PAGES, nextIndex, type PageSelection, type Sheets, selectAll, selectOnly, toggle } from './sheets.ts';

interface SheetGridProps {
  readonly sheets: Sheets;
  readonly selection: PageSelection;
  readonly onSelect: (selection: PageSelection) => void;
  /** Moves pages before the one at `gap`. */
  readonly onMove: (keys: ReadonlySet<string>, gap: number) => void;
  /** Moves the selected pages by one place. */
  readonly onStep: (step: -1 | 1) => void;
  readonly onDelete: () => void;
  readonly onUndo: () => void;
  /** Of the documents that were appended. */
  readonly titleOf: (documentId: string) => string | undefined;
}

const keyAt = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-key]')?.dataset['key'] : undefined;

/** Tiles in the first row. */
const columnsOf = (grid: HTMLElement): number => {
  const tiles = [...grid.children] as HTMLElement[];
  const next = tiles.findIndex((tile) => tile.offsetTop !== tiles[0]?.offsetTop);
  return next === -1 ? tiles.length : next;
};

/** All pages in the order that they are to have. They are selected and moved with the pointer and with keys. */
export const SheetGrid = ({ sheets, selection, onSelect, onMove, onStep, onDelete, onUndo, titleOf }: SheetGridProps): ReactNode => {
  const t = useTranslate();
  const grid = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string>();
  const [gap, setGap] = useState<number>();
  const dragged = useRef<ReadonlySet<string>>(NO_PAGES.keys);
  const wantsFocus = useRef(false);
  const placeOf = (key: string | undefined): number => sheets.findIndex((sheet) => sheet.key === key);
  const index = Math.max(0, placeOf(current));
  const currentKey = sheets[index]?.key;
  // a page that was moved takes the focus along; one that is gone hands it to the first
  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });

  const goTo = (next: number): void => {
    wantsFocus.current = true;
    setCurrent(sheets[next]?.key);
  };
  const onClick = (event: MouseEvent): void => {
    const key = keyAt(event.target);
    if (key === undefined) return;
    setCurrent(key);
    onSelect(event.shiftKey ? extendTo(selection, sheets, key) : toggle(selection, key));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (currentKey === undefined) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const act = (work: () => void): void => {
      event.preventDefault();
      event.stopPropagation();
      work();
    };
    if (isCommand && event.key === 'a') return act(() => onSelect(selectAll(sheets)));
    if (isCommand && event.key === 'z') return act(onUndo);
    if (isCommand) return;
    if (event.altKey) {
      const step = ({ ArrowLeft: -1, ArrowRight: 1 } as const)[event.key as 'ArrowLeft' | 'ArrowRight'];
      if (step !== undefined)
        act(() => {
          wantsFocus.current = true;
          onStep(step);
        });
      return;
    }
    if (event.key === ' ')
      return act(() => onSelect(event.shiftKey ? extendTo(selection, sheets, currentKey) : toggle(selection, currentKey)));
    if (event.key === 'Delete') {
      return act(() => {
        const next =
          sheets.slice(index).find(({ key }) => !selection.keys.has(key)) ?? sheets.findLast(({ key }) => !selection.keys.has(key));
        wantsFocus.current = true;
        setCurrent(next?.key);
        onDelete();
      });
    }
    if (event.key === 'Escape' && selection.keys.size > 0) return act(() => onSelect(NO_PAGES));
    const next = grid.current === null ? undefined : nextIndex(event.key, index, sheets.length, columnsOf(grid.current));
    const nextKey = next === undefined ? undefined : sheets[next]?.key;
    if (next === undefined || nextKey === undefined) return;
    act(() => {
      goTo(next);
      if (event.shiftKey) onSelect(extendTo(selection, sheets, nextKey, currentKey));
    });
  };

  const onDragStart = (event: DragEvent): void => {
    const key = keyAt(event.target);
    if (key === undefined) return;
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', '');
    setCurrent(key);
    const isAmong = selection.keys.has(key);
    if (!isAmong) onSelect(selectOnly(key));
    dragged.current = isAmong ? selection.keys : new Set([key]);
  };
  const onDragOver = (event: DragEvent): void => {
    if (dragged.current.size === 0) return;
    event.preventDefault();
    const tile = (event.target as Element).closest<HTMLElement>('[data-key]');
    if (tile === null) return;
    const { left, width } = tile.getBoundingClientRect();
    setGap(placeOf(tile.dataset['key']) + (event.clientX > left + width / 2 ? 1 : 0));
  };
  const endDrag = (): void => {
    dragged.current = NO_PAGES.keys;
    setGap(undefined);
  };
  const onDrop = (event: DragEvent): void => {
    if (dragged.current.size === 0) return;
    event.preventDefault();
    if (gap !== undefined) onMove(dragged.current, gap);
    endDrag();
  };

  let part = 1;
  return (
    <div
      ref={grid}
      role="listbox"
      aria-multiselectable
      aria-label={t('pageEditor.pages')}
      aria-describedby="page-editor-keys"
      className="sheets"
      onClick={onClick}
      onKeyDown={onKeyDown}
      onDragStart={onDragStart}
      onDragOver={onDragOver}
      onDragEnd={endDrag}
      onDrop={onDrop}
    >
      {sheets.map((sheet, at) => {
        if (sheet.startsDocument) part += 1;
        return (
          <SheetTile
            key={sheet.key}
            sheet={sheet}
            position={at + 1}
            part={sheet.startsDocument ? part : undefined}
            isSelected={selection.keys.has(sheet.key)}
            isCurrent={sheet.key === currentKey}
            drop={gap === at ? 'before' : gap === sheets.length && at === sheets.length - 1 ? 'after' : undefined}
            title={sheet.addition === 0 ? undefined : titleOf(sheet.documentId)}
          />
        );
      })}
    </div>
  );
};
