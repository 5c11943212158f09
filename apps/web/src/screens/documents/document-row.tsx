import { memo, type ReactNode } from 'react';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { COLUMN_LOOKS, type Column, type ColumnNames, type ColumnPlaces, columnText, isTitled } from './document-columns.ts';
import './document-row.css';
import { Badge, Progress, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { StatusBadge } from '../../components/badges.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { Thumbnail } from '../../components/thumbnail.tsx';
import type { ListedDocument } from './document-window.ts';
import { useReadingProgress } from './reading-progress.ts';
import { useHasRested } from './visible-rows.ts';

interface LabelsProps {
  readonly names: readonly string[];
  readonly shown: number;
  readonly colorOf: (label: string) => string | undefined;
}

export const Labels = ({ names, shown, colorOf }: LabelsProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  if (names.length === 0) return null;
  return (
    <span className="document-labels">
      {names.slice(0, shown).map((name) => {
        const color = colorOf(name);
        return (
          <span key={name} className="document-label" title={name}>
            {color !== undefined && <span aria-hidden className="document-dot" style={{ background: color }} />}
            <span>{name}</span>
          </span>
        );
      })}
      {names.length > shown && (
        <span className="document-detail">{t('documents.more', { count: format.number(names.length - shown) })}</span>
      )}
    </span>
  );
};

interface StateProps {
  readonly document: ListedDocument;
  /** Told also of what is ready: below a heading nothing would be a riddle. */
  readonly isAlwaysShown?: boolean;
}

export const State = ({ document, isAlwaysShown = false }: StateProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const percent = useReadingProgress(document.id);
  if (percent !== undefined)
    return (
      <Stack gap={2} w={110} style={{ flex: 'none' }}>
        <Progress value={percent} size="sm" aria-label={t('documents.page', { percent: format.percent(percent / 100) })} />
        <SmallNote>{t('documents.page', { percent: format.percent(percent / 100) })}</SmallNote>
      </Stack>
    );
  if (document.status !== 'completed') return <StatusBadge status={document.status} />;
  if (document.needs_attention)
    return (
      <Badge variant="light" color="yellow" tt="none" style={{ flex: 'none' }}>
        {t('documents.attention')}
      </Badge>
    );
  return isAlwaysShown ? <span className="document-detail">{t('documents.completed')}</span> : null;
};

interface CheckProps {
  readonly title: string;
  readonly index: number;
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  readonly onToggle: (index: number, isRange: boolean) => void;
}

export const Check = ({ title, index, isSelected, isCurrent, onToggle }: CheckProps): ReactNode => {
  const t = useTranslate();
  return (
    <span className="document-check">
      <input
        type="checkbox"
        tabIndex={isCurrent ? 0 : -1}
        checked={isSelected}
        onChange={() => undefined}
        onClick={(event) => onToggle(index, event.shiftKey)}
        aria-label={t('documents.select', { name: title })}
      />
    </span>
  );
};

export const Picture = ({ document, size }: { readonly document: ListedDocument; readonly size: number }): ReactNode =>
  useHasRested() ? (
    <Thumbnail id={document.id} mimeType={document.mime_type} size={size} version={document.sha256} status={document.status} />
  ) : (
    <span className="document-picture" style={{ width: size, height: Math.round(size * A4) }} />
  );

interface TitleProps {
  readonly document: ListedDocument;
  /** Whether the Tab key reaches it. */
  readonly isCurrent: boolean;
}

export const Title = ({ document, isCurrent }: TitleProps): ReactNode => (
  <Link href={`/documents/${document.id}`} className="document-title stranger" tabIndex={isCurrent ? 0 : -1}>
    {document.title}
  </Link>
);

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
