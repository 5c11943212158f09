import { Badge, CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../language/language.tsx';

interface Props {
  readonly name: string;
  /** # and six hexadecimal digits; a list of documents knows only names. */
  readonly color?: string | undefined;
  readonly onRemove?: (() => void) | undefined;
  readonly disabled?: boolean;
  /** Cut where there is no room, instead of broken. */
  readonly isOneLine?: boolean;
}

/** A label: its name in the colour of text, as any colour may have been chosen, and a dot in its own. */
export const LabelChip = ({ name, color, onRemove, disabled = false, isOneLine = false }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Badge
      variant="default"
      tt="none"
      fw={500}
      size="md"
      className={isOneLine ? undefined : 'stranger'}
      styles={{ label: { whiteSpace: isOneLine ? 'nowrap' : 'normal', unicodeBidi: 'plaintext' } }}
      style={{ flexShrink: 1, maxWidth: isOneLine ? 150 : '100%', height: 'auto', minHeight: 22 }}
      leftSection={
        color === undefined ? undefined : (
          <span
            aria-hidden
            style={{
              display: 'inline-block',
              width: 10,
              height: 10,
              borderRadius: 5,
              background: color,
              border: '1px solid rgb(128 128 128 / 50%)',
            }}
          />
        )
      }
      rightSection={
        onRemove === undefined ? undefined : (
          <CloseButton
            size={24}
            iconSize={14}
            mr={-8}
            onClick={onRemove}
            disabled={disabled}
            aria-label={t('labelPicker.remove', { name: name })}
          />
        )
      }
      title={name}
    >
      {name}
    </Badge>
  );
};
