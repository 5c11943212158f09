import { Badge, Progress, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { SmallNote } from '../../components/small-note.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Thumbnail } from '../../components/thumbnail.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';
import type { ListedDocument } from './document-window.ts';
import { useReadingProgress } from './reading-progress.ts';
import { useHasRested } from './scroll-rest.ts';

const A4 = 1.3;

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
