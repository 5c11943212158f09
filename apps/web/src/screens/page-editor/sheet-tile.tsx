import { Text, VisuallyHidden } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { pagePicture } from '../../components/thumbnail.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';
import type { Sheet } from './sheets.ts';

/** The smallest size that the service stores is too coarse to recognize a page by. */
const SIZE_PX = 400;

interface SheetTileProps {
  readonly sheet: Sheet;
  /** From 1, as the pages are to be. */
  readonly position: number;
  /** Of the document that begins here, from 2; undefined where none does. */
  readonly part: number | undefined;
  readonly isSelected: boolean;
  /** Whether it is the one that the keyboard comes to. */
  readonly isCurrent: boolean;
  /** Where pages that are dragged would go, of those two places that are at this one. */
  readonly drop: 'before' | 'after' | undefined;
  /** Of the document that it is appended from. */
  readonly title: string | undefined;
}

/** A page as a small picture. */
export const SheetTile = memo(({ sheet, position, part, isSelected, isCurrent, drop, title }: SheetTileProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const number = format.number(position);
  return (
    <div
      role="option"
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      draggable
      data-key={sheet.key}
      data-drop={drop}
      className="sheet"
    >
      {part !== undefined && <span className="sheet-part">{t('pageEditor.part', { number: format.number(part) })} </span>}
      <span className="sheet-frame">
        <img
          src={pagePicture(sheet.documentId, sheet.page, SIZE_PX)}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          style={sheet.turn === 0 ? undefined : { transform: `rotate(${sheet.turn}deg)` }}
        />
      </span>
      <Text size="xs" ta="center" className="stranger" lineClamp={1}>
        <VisuallyHidden>{t('document.pageLabel', { page: number })} </VisuallyHidden>
        <span aria-hidden>{number}</span>
        {title !== undefined && ` · ${title}`}
      </Text>
      {sheet.turn !== 0 && <VisuallyHidden> {t('pageEditor.turned', { degrees: format.number(sheet.turn) })}</VisuallyHidden>}
    </div>
  );
});
SheetTile.displayName = 'SheetTile';
