import { Badge, Progress, Stack, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Thumbnail } from '../../components/thumbnail.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';
import './document-row.css';
import type { ListedDocument } from './document-window.ts';
import { useReadingProgress } from './reading-progress.ts';
import { useHasRested } from './scroll-rest.ts';

const LINE_LABELS = 3;
const LINE_PICTURE_PX = 34;
const TILE_PICTURE_PX = 124;
const A4 = 1.3;

export interface RowProps {
  readonly document: ListedDocument | undefined;
  readonly index: number;
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  readonly colorOf: (label: string) => string | undefined;
  readonly onToggle: (index: number, isRange: boolean) => void;
}

interface LabelsProps {
  readonly names: readonly string[];
  readonly shown: number;
  readonly colorOf: RowProps['colorOf'];
}

const Labels = ({ names, shown, colorOf }: LabelsProps): ReactNode => {
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

const State = ({ document }: { readonly document: ListedDocument }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const percent = useReadingProgress(document.id);
  if (percent !== undefined)
    return (
      <Stack gap={2} w={110} style={{ flex: 'none' }}>
        <Progress value={percent} size="sm" aria-label={t('documents.page', { percent: format.percent(percent / 100) })} />
        <Text size="xs" c="dimmed">
          {t('documents.page', { percent: format.percent(percent / 100) })}
        </Text>
      </Stack>
    );
  if (document.status !== 'completed') return <StatusBadge status={document.status} />;
  return document.needs_attention ? (
    <Badge variant="light" color="yellow" tt="none" style={{ flex: 'none' }}>
      {t('documents.attention')}
    </Badge>
  ) : null;
};

const Check = ({ index, isSelected, onToggle, title }: RowProps & { readonly title: string }): ReactNode => {
  const t = useTranslate();
  return (
    <span className="document-check">
      <input
        type="checkbox"
        checked={isSelected}
        onChange={() => undefined}
        onClick={(event) => onToggle(index, event.shiftKey)}
        aria-label={t('documents.select', { name: title })}
      />
    </span>
  );
};

const Picture = ({ document, size }: { readonly document: ListedDocument; readonly size: number }): ReactNode =>
  useHasRested() ? (
    <Thumbnail id={document.id} mimeType={document.mime_type} size={size} version={document.sha256} />
  ) : (
    <span className="document-picture" style={{ width: size, height: Math.round(size * A4) }} />
  );

const Title = ({ document }: { readonly document: ListedDocument }): ReactNode => (
  <Link href={`/documents/${document.id}`} className="document-title stranger">
    {document.title}
  </Link>
);

/** A document as a line. */
export const DocumentRow = memo((props: RowProps): ReactNode => {
  const { document, isCurrent, isSelected, colorOf } = props;
  const format = useFormat();
  if (document === undefined)
    return (
      <div className="document-line" aria-hidden>
        <span className="document-gap" style={{ width: LINE_PICTURE_PX, height: LINE_PICTURE_PX * A4, marginInlineStart: 44 }} />
        <span className="document-gap" style={{ width: '40%', height: 14 }} />
      </div>
    );
  return (
    <div className="document-line" data-selected={isSelected || undefined} data-current={isCurrent || undefined}>
      <Check {...props} title={document.title} />
      <Picture document={document} size={LINE_PICTURE_PX} />
      <span className="document-words">
        <Title document={document} />
        <span className="document-detail stranger">
          {`${format.date(document.created_at)} · ${format.bytes(document.size)} · ${document.filename}`}
        </span>
      </span>
      <Labels names={document.labels} shown={LINE_LABELS} colorOf={colorOf} />
      <State document={document} />
    </div>
  );
});
DocumentRow.displayName = 'DocumentRow';

/** A document as a picture. */
export const DocumentTile = memo((props: RowProps): ReactNode => {
  const { document, isCurrent, isSelected, colorOf } = props;
  const format = useFormat();
  if (document === undefined) return <div className="document-tile document-gap" aria-hidden />;
  return (
    <div className="document-tile" data-selected={isSelected || undefined} data-current={isCurrent || undefined}>
      <span className="document-top">
        <Check {...props} title={document.title} />
        <State document={document} />
      </span>
      <Picture document={document} size={TILE_PICTURE_PX} />
      <Title document={document} />
      <span className="document-detail" style={{ marginTop: 'auto', flex: 'none' }}>
        {format.date(document.created_at)}
      </span>
      <Labels names={document.labels.slice(0, 1)} shown={1} colorOf={colorOf} />
    </div>
  );
});
DocumentTile.displayName = 'DocumentTile';
