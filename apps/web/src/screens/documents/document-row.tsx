import { memo, type ReactNode } from 'react';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { Check, Labels, Picture, State, Title } from './document-cells.tsx';
import { COLUMN_LOOKS, type Column, type ColumnNames, type ColumnPlaces, columnText, isTitled } from './document-columns.ts';
import './document-row.css';
import type { ListedDocument } from './document-window.ts';

const SHOWN_LABELS = 3;
const PICTURE_PX = 34;
const A4 = 1.3;
/** The headings are the first row. */
const ROWS_BEFORE = 2;

export interface ItemProps {
  /** Undefined while it is loaded. */
  readonly document: ListedDocument | undefined;
  readonly index: number;
  readonly isSelected: boolean;
  /** Whether the Tab key reaches it. */
  readonly isCurrent: boolean;
  readonly colorOf: (label: string) => string | undefined;
  readonly onToggle: (index: number, isRange: boolean) => void;
}

interface RowProps extends ItemProps {
  /** Without its picture, and in one line, so that many fit. */
  readonly isCompact: boolean;
  readonly places: ColumnPlaces;
  readonly names: ColumnNames;
  readonly topPx: number;
  readonly heightPx: number;
}

const Cell = ({ column, ...props }: RowProps & { readonly document: ListedDocument; readonly column: Column }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  if (column === 'labels') return <Labels names={props.document.labels} shown={SHOWN_LABELS} colorOf={props.colorOf} />;
  if (column === 'status') return <State document={props.document} isAlwaysShown />;
  return columnText(column, props.document, { t, format, names: props.names });
};

/** What there is no column for, and the name of the file where neither the title nor a column tells it. */
const useDetails = ({ document, places, isCompact, names }: RowProps & { readonly document: ListedDocument }): string => {
  const t = useTranslate();
  const format = useFormat();
  const isNamed = isCompact || isTitled(document) || places.columns.includes('filename');
  const columns: readonly Column[] = isNamed || places.details.includes('filename') ? places.details : [...places.details, 'filename'];
  return columns
    .map((column) => columnText(column, document, { t, format, names }))
    .filter((text) => text !== '')
    .join(' · ');
};

const Filled = (props: RowProps & { readonly document: ListedDocument }): ReactNode => {
  const { document, isCompact, isCurrent, places } = props;
  const details = useDetails(props);
  return (
    <>
      <span role="gridcell">
        <Check {...props} title={document.title} />
      </span>
      <span role="gridcell" className="document-name">
        {!isCompact && <Picture document={document} size={PICTURE_PX} />}
        <span className="document-words">
          <Title document={document} isCurrent={isCurrent} />
          {details !== '' && <span className="document-detail stranger">{details}</span>}
        </span>
      </span>
      {places.columns.map((column) => (
        <span
          key={column}
          role="gridcell"
          className={column === 'labels' || column === 'status' ? 'document-cell' : 'document-cell document-detail stranger'}
          data-number={COLUMN_LOOKS[column].isNumber}
        >
          <Cell {...props} column={column} />
        </span>
      ))}
      {places.details.includes('status') && (
        <span role="gridcell">
          <State document={document} />
        </span>
      )}
    </>
  );
};

const Empty = ({ isCompact }: Pick<RowProps, 'isCompact'>): ReactNode => (
  <>
    <span role="gridcell" />
    <span role="gridcell" className="document-name">
      {!isCompact && <span className="document-gap" style={{ width: PICTURE_PX, height: PICTURE_PX * A4 }} />}
      <span className="document-gap" style={{ width: '40%', height: 14 }} />
    </span>
  </>
);

/** What is heard of a document as the focus comes to it. */
const useRowName = (document: ListedDocument | undefined): string => {
  const t = useTranslate();
  const format = useFormat();
  if (document === undefined) return t('table.loading');
  const state = document.needs_attention ? t('documents.attention') : t(`documents.${document.status}`);
  return [document.title, state, format.date(document.created_at)].join(', ');
};

/** A document as a line. */
export const DocumentRow = memo((props: RowProps): ReactNode => {
  const { document, index, isCurrent, isSelected, isCompact, places, topPx, heightPx } = props;
  const name = useRowName(document);
  return (
    <div
      role="row"
      aria-label={name}
      aria-rowindex={index + ROWS_BEFORE}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      data-index={index}
      className="document-line"
      data-selected={isSelected || undefined}
      data-compact={isCompact || undefined}
      style={{ top: topPx, height: heightPx, gridTemplateColumns: places.template }}
    >
      {document === undefined ? <Empty isCompact={isCompact} /> : <Filled {...props} document={document} />}
    </div>
  );
});
DocumentRow.displayName = 'DocumentRow';
