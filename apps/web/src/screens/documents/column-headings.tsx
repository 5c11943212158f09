import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { COLUMN_LOOKS, type ColumnPlaces } from './document-columns.ts';
import { SORTS, type SortName } from './list-state.ts';
import type { Selection } from './use-row-selection.ts';

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

interface Props {
  readonly places: ColumnPlaces;
  readonly total: number;
  readonly selection: Selection;
  readonly sort: SortName;
  readonly onSort: (sort: SortName) => void;
}

/** The headings of the list, which order it, and the box that selects everything. */
export const ColumnHeadings = ({ places, total, selection, sort, onSort }: Props): ReactNode => {
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
