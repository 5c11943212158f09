import { memo, type ReactNode } from 'react';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { Check, type ItemProps, Labels, Picture, State, Title } from './document-row.tsx';
import './document-row.css';
import type { ListedDocument } from './document-window.ts';

const PICTURE_PX = 124;
const SHOWN_LABELS = 1;

/** What is heard of a tile: what is seen on it, in the same order. */
const useTileName = (document: ListedDocument | undefined): string => {
  const t = useTranslate();
  const format = useFormat();
  if (document === undefined) return t('table.loading');
  const state = document.needs_attention ? t('documents.attention') : t(`documents.${document.status}`);
  return [document.title, format.date(document.created_at), ...document.labels.slice(0, SHOWN_LABELS), state].join(', ');
};

const Filled = (props: ItemProps & { readonly document: ListedDocument }): ReactNode => {
  const { document, isCurrent, colorOf } = props;
  const format = useFormat();
  return (
    <>
      <Check {...props} title={document.title} />
      <Picture document={document} size={PICTURE_PX} />
      {/* spaces that nobody sees keep the words apart of who hears them */}
      <Title document={document} isCurrent={isCurrent} />{' '}
      <span className="document-detail" style={{ marginTop: 'auto', flex: 'none' }}>
        {format.date(document.created_at)}
      </span>{' '}
      <Labels names={document.labels.slice(0, SHOWN_LABELS)} shown={SHOWN_LABELS} colorOf={colorOf} />{' '}
      <span className="document-top">
        <State document={document} />
      </span>
    </>
  );
};

/** A document as a picture. */
export const DocumentTile = memo((props: ItemProps): ReactNode => {
  const { document, index, isCurrent, isSelected } = props;
  const name = useTileName(document);
  return (
    <div
      role="gridcell"
      aria-label={name}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      data-index={index}
      className={document === undefined ? 'document-tile document-gap' : 'document-tile'}
      data-selected={isSelected || undefined}
    >
      {document !== undefined && <Filled {...props} document={document} />}
    </div>
  );
});
DocumentTile.displayName = 'DocumentTile';
