import { Card } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useTranslate } from '../../language/language.tsx';
import { DocumentRow, DocumentTile } from './document-row.tsx';
import type { DocumentWindow } from './document-window.ts';
import { useFollowScroll } from './scroll-rest.ts';
import type { Selection } from './selection.ts';
import type { Hidden } from './use-bulk-actions.ts';
import { useVisibleRows } from './visible-rows.ts';

const ROW_PX = 62;
const TILE_PX = 336;
const TILE_WIDTH_PX = 170;
/** The head of the page and the bar of the selection are above the upper edge. */
const COVERED_PX = 130;

interface Props {
  readonly isGrid: boolean;
  readonly total: number;
  readonly window: DocumentWindow;
  readonly selection: Selection;
  readonly hidden: Hidden;
  readonly colorOf: (label: string) => string | undefined;
  /** Told which documents are on the screen. */
  readonly onRange: (first: number, last: number) => void;
  /** Undefined where he may not. */
  readonly onRemove: (() => void) | undefined;
}

/** The list itself: as high as all documents together, of which only those on the screen exist. */
export const DocumentList = ({ isGrid, total, window, selection, hidden, colorOf, onRange, onRemove }: Props): ReactNode => {
  const t = useTranslate();
  const [, navigate] = useLocation();
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<number>();
  const lastToggled = useRef<number>(undefined);
  const columns = isGrid ? Math.max(1, Math.floor(width / TILE_WIDTH_PX)) : 1;
  const rowPx = isGrid ? TILE_PX : ROW_PX;
  const rowCount = Math.ceil(total / columns);
  useFollowScroll();
  const rows = useVisibleRows(frame, rowPx, rowCount);
  const first = rows.first * columns;
  const last = Math.min(total, (rows.last + 1) * columns) - 1;
  useLayoutEffect(() => onRange(first, last), [first, last, onRange]);

  const toggle = (index: number, isRange: boolean): void => {
    const from = lastToggled.current;
    if (isRange && from !== undefined) {
      const [low, high] = [Math.min(from, index), Math.max(from, index)];
      selection.add(Array.from({ length: high - low + 1 }, (_, step) => window.at(low + step)).filter((one) => one !== undefined));
    } else {
      const document = window.at(index);
      if (document !== undefined) selection.toggle(document);
    }
    lastToggled.current = index;
  };
  // the same function always: rows that did not change are not drawn anew
  const latestToggle = useRef(toggle);
  useLayoutEffect(() => {
    latestToggle.current = toggle;
  });
  const onToggle = useCallback((index: number, isRange: boolean) => latestToggle.current(index, isRange), []);

  const go = (index: number): void => {
    const next = Math.max(0, Math.min(total - 1, index));
    setCurrent(next);
    rows.scrollTo(Math.floor(next / columns), COVERED_PX);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return; // of a checkbox or a link inside
    const at = current ?? -1;
    const steps: Readonly<Record<string, number>> = { ArrowDown: columns, ArrowUp: -columns, ArrowRight: 1, ArrowLeft: -1 };
    const step = steps[event.key];
    const id = current === undefined ? undefined : window.at(current)?.id;
    if (step !== undefined && (isGrid || !/Left|Right/.test(event.key))) go(current === undefined ? 0 : at + step);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(total - 1);
    else if (event.key === 'Enter' && id !== undefined) navigate(`/documents/${id}`);
    else if (event.key === ' ' && current !== undefined) toggle(current, event.shiftKey);
    else if (event.key === 'Delete' && (selection.isAll || selection.ids.size > 0)) onRemove?.();
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selection.selectAll();
    else if (event.key === 'Escape') selection.clear();
    else return;
    event.preventDefault();
  };

  const Item = isGrid ? DocumentTile : DocumentRow;
  const items = Array.from({ length: last - first + 1 }, (_, step) => {
    const index = first + step;
    const document = window.at(index);
    if (document !== undefined && hidden.has(document.id)) return <div key={index} className="document-gap" />;
    return (
      <Item
        key={index}
        document={document}
        index={index}
        isSelected={document !== undefined && selection.has(document.id)}
        isCurrent={index === current}
        colorOf={colorOf}
        onToggle={onToggle}
      />
    );
  });
  const body = (
    <div
      ref={frame}
      role="group"
      aria-label={t('documents.title')}
      aria-description={t('documents.keys')}
      tabIndex={0}
      onKeyDown={onKeyDown}
      style={{ position: 'relative', height: rowCount * rowPx }}
    >
      <div
        style={{
          position: 'absolute',
          insetInline: 0,
          top: rows.first * rowPx,
          display: 'grid',
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridAutoRows: isGrid ? TILE_PX - 12 : ROW_PX,
          gap: isGrid ? 12 : 0,
        }}
      >
        {items}
      </div>
    </div>
  );
  return (
    <div ref={sizeRef}>
      {isGrid ? (
        body
      ) : (
        <Card withBorder padding={0}>
          {body}
        </Card>
      )}
    </div>
  );
};
