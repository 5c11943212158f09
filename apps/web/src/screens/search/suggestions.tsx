import { Text } from '@mantine/core';
import { IconFileText, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Answer } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import './suggestions.css';

interface Props {
  readonly id: string;
  readonly suggestions: Answer<'get /api/search/suggest'>['suggestions'];
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

export const optionIdOf = (listId: string, index: number): string => `${listId}-${index}`;

/** What may be meant, below the field, which keeps the focus. */
export const Suggestions = ({ id, suggestions, chosen, onChoose }: Props): ReactNode => {
  const t = useTranslate();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul ref={list} id={id} role="listbox" aria-label={t('search.placeholder')} className="suggestions">
      {suggestions.map(({ text, type, document_id: documentId }, index) => (
        <li
          key={`${type} ${text} ${documentId ?? ''}`}
          id={optionIdOf(id, index)}
          role="option"
          aria-selected={index === chosen}
          // the field keeps the focus, so that its list is still there when the button is released
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          {type === 'title' ? <IconFileText size={16} aria-hidden /> : <IconSearch size={16} aria-hidden />}
          <Text size="sm" className="stranger" lineClamp={1} style={{ flex: 1 }}>
            {text}
          </Text>
          <Text size="xs" c="dimmed">
            {type === 'title' ? t('search.document') : t('search.word')}
          </Text>
        </li>
      ))}
    </ul>
  );
};
