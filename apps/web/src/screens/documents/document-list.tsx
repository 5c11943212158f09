import { Paper } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'wouter';
import { useCall } from '../../interface/call.ts';
import { keepNeighbours } from '../../interface/neighbours.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { COLUMN_LOOKS, type Column, type ColumnNames, type ColumnPlaces, placeColumns } from './document-columns.ts';
import { DocumentRow } from './document-row.tsx';
import { DocumentTile } from './document-tile.tsx';
import type { ShownWindow } from './document-window.ts';
import { SORTS, type SortName, type View } from './list-state.ts';
import { commandOf, keepOpenedRow, useRowFocus } from './row-keys.ts';
import { type Selection, useRowSelection } from './use-row-selection.ts';
import { useFollowScroll, useVisibleRows } from './visible-rows.ts';

const TITLE_SORTS = ['byTitle', 'byTitleBack'] as const;

interface HeadingProps {
  readonly title: string;
  readonly sorts: readonly [SortName, SortName] | undefined;
  readonly sort: SortName;
  readonly onSort: (sort: SortName) => void;
  readonly isNumber?: boolean | undefined;
}

const Heading = ({ title, sorts, sort, onSort, isNumber }: HeadingProps): ReactNode => {
  if (sorts === undefined)
    return (
      <span role="columnheader" className="document-cell" data-number={isNumber}>
        {title}
      </span>
    );
  const isSorted = sorts.includes(sort);
  const direction = SORTS[sort].order === 'asc' ? 'ascending' : 'descending';
  const Arrow = direction === 'ascending' ? IconArrowUp : IconArrowDown;
  return (
    <span role="columnheader" className="document-cell" data-number={isNumber} aria-sort={isSorted ? direction : 'none'}>
      <button type="button" className="document-sort" onClick={() => onSort(sort === sorts[0] ? sorts[1] : sorts[0])}>
        {title}
        {isSorted && <Arrow size={14} aria-hidden />}
      </button>
    </span>
  );
};

interface ColumnHeadingsProps {
  readonly places: ColumnPlaces;
  readonly total: number;
  readonly selection: Selection;
  readonly sort: SortName;
  readonly onSort: (sort: SortName) => void;
}

/** The headings of the list, which order it, and the box that selects everything. */
export const ColumnHeadings = ({ places, total, selection, sort, onSort }: ColumnHeadingsProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <div role="row" aria-rowindex={1} className="document-head" style={{ gridTemplateColumns: places.template }}>
      <span role="columnheader" className="document-check">
        <input
          type="checkbox"
          checked={selection.isAll}
          onChange={() => (selection.isAll ? selection.clear() : selection.selectAll())}
          aria-label={t('documents.selectAll', { count: format.number(total) })}
        />
      </span>
      <Heading title={t('document.titleLabel')} sorts={TITLE_SORTS} sort={sort} onSort={onSort} />
      {places.columns.map((column) => {
        const { title, sorts, isNumber } = COLUMN_LOOKS[column];
        return <Heading key={column} title={t(title)} sorts={sorts} sort={sort} onSort={onSort} isNumber={isNumber} />;
      })}
    </div>
  );
};

const ROW_PX = 62;
const COMPACT_PX = 36;
const TILE_PX = 336;
const TILE_GAP_PX = 12;
const TILE_WIDTH_PX = 170;
/** The head of the page and the bar of the selection are above the upper edge. */
const COVERED_PX = 130;
/** Documents before and after those on the screen that one may walk on to. */
const NEAR = 100;

interface DocumentListProps {
  readonly view: View;
  readonly columns: readonly Column[];
  readonly total: number;
  readonly window: ShownWindow;
  /** Names what is listed, and in which order. */
  readonly listKey: string;
  readonly sort: SortName;
  readonly onSort: (sort: SortName) => void;
  readonly selection: Selection;
  readonly colorOf: (label: string) => string | undefined;
  /** Told which documents are on the screen, by their place in the list of the service. */
  readonly onRange: (first: number, last: number) => void;
  /** Told that somebody comes to the list, and may select something. */
  readonly onNear: () => void;
  /** Undefined where they may not. */
  readonly onRemove: (() => void) | undefined;
}

/** The document that an element stands in, by its place. */
const indexAt = (element: EventTarget): number | undefined => {
  const row = element instanceof Element ? element.closest<HTMLElement>('[data-index]') : null;
  return row === null ? undefined : Number(row.dataset['index']);
};

/**
 * The list itself: as high as all documents together, of which only those near the window exist, and the one that has the focus wherever it is. Rows
 * stand where they belong by themselves and keep their order, so that none is moved in the page, which would take the focus from it.
 */
export const DocumentList = (props: DocumentListProps): ReactNode => {
  const { view, columns: chosen, total, window, listKey, sort, onSort, selection, colorOf, onRange, onNear, onRemove } = props;
  const isGrid = view === 'grid';
  const isCompact = view === 'compact';
  const t = useTranslate();
  const [, navigate] = useLocation();
  const outer = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(outer);
  const columns = isGrid ? Math.max(1, Math.floor(widthPx / TILE_WIDTH_PX)) : 1;
  const linePx = isCompact ? COMPACT_PX : ROW_PX;
  const rowPx = isGrid ? TILE_PX : linePx;
  const rowCount = Math.ceil(total / columns);
  const places = useMemo(() => placeColumns(chosen, widthPx, !isCompact), [chosen, widthPx, isCompact]);
  const names = useColumnNames(chosen);
  useFollowScroll();
  const rows = useVisibleRows(frame, rowPx, rowCount);
  const first = rows.first * columns;
  const last = Math.min(total, (rows.last + 1) * columns) - 1;
  const [from, to] = [window.placeOf(first), window.placeOf(last)];
  useLayoutEffect(() => onRange(from, to), [from, to, onRange]);

  const show = (index: number): void => rows.scrollTo(Math.floor(index / columns), COVERED_PX);
  const { current, moveTo, arrive } = useRowFocus({ frame, window, total, listKey, show });
  const { toggle, extend, endExtending } = useRowSelection(window, selection);
  // the same function always: rows that did not change are not drawn anew
  const latestToggle = useRef(toggle);
  useLayoutEffect(() => {
    latestToggle.current = toggle;
  });
  const onToggle = useCallback((index: number, isRange: boolean) => latestToggle.current(index, isRange), []);

  // what is open next to each other in the list is one step apart in the viewer
  const remember = (index: number): void => {
    const known = Array.from({ length: last - first + 1 + 2 * NEAR }, (_, step) => window.at(first - NEAR + step)?.id);
    keepNeighbours(known.filter((id) => id !== undefined));
    const id = window.at(index)?.id;
    if (id !== undefined) keepOpenedRow({ index, id });
  };
  const onClick = ({ target }: MouseEvent): void => {
    const index = indexAt(target);
    if (index !== undefined && target instanceof Element && target.closest('a') !== null) remember(index);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const index = indexAt(event.target);
    if (index === undefined) return; // of a heading
    const isInside = event.target instanceof HTMLElement && event.target.dataset['index'] === undefined;
    if (isInside && (event.key === ' ' || event.key === 'Enter')) return; // of the box or the link
    const pageRows = Math.max(1, Math.floor((innerHeight - COVERED_PX) / rowPx));
    const command = commandOf(event, { current: index, total, columns, pageRows });
    if (command === undefined) return;
    event.preventDefault();
    const id = window.at(index)?.id;
    if (command.does === 'move') {
      if (command.isExtending) extend(index, command.to);
      else endExtending();
      moveTo(command.to);
    } else if (command.does === 'toggle') toggle(index, command.isRange);
    else if (command.does === 'selectAll') selection.selectAll();
    else if (command.does === 'clear') selection.clear();
    else if (command.does === 'remove') {
      if (selection.isAll || selection.ids.size > 0) onRemove?.();
    } else if (id !== undefined) {
      remember(index);
      navigate(`/documents/${id}`);
    }
  };

  const itemAt = (index: number) => {
    const document = window.at(index);
    const isSelected = document !== undefined && selection.has(document.id);
    return { document, index, isSelected, isCurrent: index === current, colorOf, onToggle };
  };
  const tilesOf = (row: number): ReactNode => (
    <div
      key={row}
      role="row"
      aria-rowindex={row + 1}
      className="document-tiles"
      style={{
        top: row * rowPx,
        height: TILE_PX - TILE_GAP_PX,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        gap: TILE_GAP_PX,
      }}
    >
      {Array.from({ length: Math.min(columns, total - row * columns) }, (_, step) => (
        <DocumentTile key={row * columns + step} {...itemAt(row * columns + step)} />
      ))}
    </div>
  );
  const lineOf = (index: number): ReactNode => (
    <DocumentRow
      key={index}
      {...itemAt(index)}
      isCompact={isCompact}
      places={places}
      names={names}
      topPx={index * rowPx}
      heightPx={rowPx}
    />
  );
  const currentRow = Math.floor(current / columns);
  const near = Array.from({ length: rows.last - rows.first + 1 }, (_, step) => rows.first + step);
  const existing = currentRow < rows.first ? [currentRow, ...near] : currentRow > rows.last ? [...near, currentRow] : near;
  const body = (
    <div
      role="grid"
      aria-label={t('documents.title')}
      aria-description={t('documents.keys')}
      aria-multiselectable
      aria-rowcount={isGrid ? rowCount : rowCount + 1}
      onKeyDown={onKeyDown}
      onClickCapture={onClick}
      onPointerEnter={onNear}
      onFocus={({ target }) => {
        onNear();
        const index = indexAt(target);
        if (index !== undefined) arrive(index);
      }}
    >
      {!isGrid && <ColumnHeadings places={places} total={total} selection={selection} sort={sort} onSort={onSort} />}
      <div ref={frame} role="rowgroup" style={{ position: 'relative', height: rowCount * rowPx }}>
        {existing.map(isGrid ? tilesOf : lineOf)}
      </div>
    </div>
  );
  return <div ref={outer}>{isGrid ? body : <Paper withBorder>{body}</Paper>}</div>;
};

/** The width of an element in pixels, known before it is first painted. */
const useWidth = (element: RefObject<HTMLElement | null>): number => {
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const measure = (): void => setWidthPx(target.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return widthPx;
};

/** As for the filters, which ask the same. */
const MOST_NAMES = { query: { per_page: 100 } };
const FRESH_MS = 60_000;

/** The names that the columns of owners and sources need; asked for only where these are shown. */
const useColumnNames = (columns: readonly Column[]): ColumnNames => {
  const { may } = useSession();
  const me = useMe();
  const users = useCall('get /api/users', MOST_NAMES, { enabled: columns.includes('owner') && may('users.read'), staleMs: FRESH_MS });
  const sources = useCall('get /api/sources', MOST_NAMES, {
    enabled: columns.includes('source') && may('sources.read'),
    staleMs: FRESH_MS,
  });
  return useMemo(() => {
    const nameOfUser = new Map([[me.id, me.username], ...(users.data?.data ?? []).map(({ id, username }) => [id, username] as const)]);
    const nameOfSource = new Map((sources.data?.sources ?? []).map(({ id, name }) => [id, name]));
    return { owner: (id) => nameOfUser.get(id), source: (id) => nameOfSource.get(id) };
  }, [me.id, me.username, users.data, sources.data]);
};
