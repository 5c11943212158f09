import { Stack, Text } from '@mantine/core';
import { IconAddressBook, IconCategory, IconHistory, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { SmallNote } from '../../components/small-note.tsx';
import { Thumbnail } from '../../components/thumbnail.tsx';
import type { Answer } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { optionIdOf } from './option-id.ts';
import { type Hit, Marked } from './search-hit.tsx';
import './suggestions.css';

/** What the service suggests, what was searched before, or a document that is found by what is typed so far. */
export interface Suggestion {
  readonly text: string;
  readonly type: Answer<'get /api/search/suggest'>['suggestions'][number]['type'] | 'recent' | 'hit';
  readonly document_id?: string | undefined;
  readonly hit?: Hit;
  /** What found the hit. */
  readonly query?: string;
}

const WORD_OF = {
  title: 'search.document',
  word: 'search.word',
  recent: 'search.recent',
  hit: 'search.document',
  correspondent: 'filing.one.correspondent',
  document_type: 'filing.one.document_type',
} as const;
const ICON_OF = { recent: IconHistory, correspondent: IconAddressBook, document_type: IconCategory } as const;

/** A suggestion that stands for a filter, and not for what was written somewhere. */
const isName = ({ type }: Suggestion): boolean => type === 'correspondent' || type === 'document_type';

const PICTURE_PX = 24;
const HIT_PICTURE_PX = 40;

/** A document with the place where the words stand. */
const HitLine = ({ hit }: { readonly hit: Hit }): ReactNode => {
  const title = hit.highlights.find(({ field }) => field === 'title');
  const other = hit.highlights.find(({ field }) => field !== 'title');
  return (
    <>
      <Thumbnail id={hit.document_id} mimeType={hit.mime_type} size={HIT_PICTURE_PX} />
      <Stack gap={2} style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" fw={600} className="stranger" lineClamp={1}>
          {title === undefined ? hit.title : <Marked snippet={title.snippet} />}
        </Text>
        {other !== undefined && (
          <Text size="xs" className="stranger" lineClamp={2}>
            <Marked snippet={other.snippet} />
          </Text>
        )}
      </Stack>
    </>
  );
};

const PlainLine = ({ suggestion: { text, type, document_id: documentId } }: { readonly suggestion: Suggestion }): ReactNode => {
  const Icon = Object.hasOwn(ICON_OF, type) ? ICON_OF[type as keyof typeof ICON_OF] : IconSearch;
  return (
    <>
      {documentId === undefined ? <Icon size={16} aria-hidden /> : <Thumbnail id={documentId} mimeType="" size={PICTURE_PX} />}
      <Text size="sm" className="stranger" lineClamp={1} style={{ flex: 1 }}>
        {text}
      </Text>
    </>
  );
};

interface Props {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

/** What may be meant, below the field, which keeps the focus. */
const Suggestions = ({ id, suggestions, chosen, onChoose }: Props): ReactNode => {
  const t = useTranslate();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul ref={list} id={id} role="listbox" aria-label={t('search.placeholder')} className="suggestions">
      {suggestions.map((suggestion, index) => (
        <li
          key={`${suggestion.type} ${suggestion.text} ${suggestion.document_id ?? ''}`}
          id={optionIdOf(id, index)}
          role="option"
          aria-selected={index === chosen}
          data-name={isName(suggestion) || undefined}
          // the field keeps the focus, so that its list is still there when the button is released
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          {suggestion.hit === undefined ? <PlainLine suggestion={suggestion} /> : <HitLine hit={suggestion.hit} />}
          <SmallNote>{t(WORD_OF[suggestion.type])}</SmallNote>
        </li>
      ))}
    </ul>
  );
};
export default Suggestions;
