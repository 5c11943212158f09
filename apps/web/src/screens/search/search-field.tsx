import { ActionIcon, Kbd, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch, IconX } from '@tabler/icons-react';
import { type KeyboardEvent as ReactKeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { late } from '../../app/late.ts';
import type { FilingKind } from '../../components/filing-kinds.ts';
import { isTyping } from '../../components/is-typing.ts';
import { useIsNarrow } from '../../components/use-is-narrow.ts';
import { keepRecentSearch } from '../../interface/recent-searches.ts';
import { useTranslate } from '../../language/language.tsx';
import { optionIdOf } from './option-id.ts';
import { hitAddress } from './search-state.ts';
import type { Suggestion } from './suggestions.tsx';
import { useSuggestions } from './use-suggestions.ts';

const FIELDS: Readonly<Record<FilingKind, string>> = { correspondent: 'from', document_type: 'type' };

/** The signs that end a phrase of a query, which no name is found by. */
const QUOTES = /["“”„«»]/gu;

/** The query for the documents of a correspondent or type with this name. */
const nameQuery = (kind: FilingKind, name: string): string => `${FIELDS[kind]}:"${name.replace(QUOTES, ' ').trim()}"`;

// loaded when somebody comes to the field
const Suggestions = late(() => import('./suggestions.tsx'));

const SUGGEST_MS = 250;
const SEARCH_MS = 250;
const MOST_CHARACTERS = 200;

/** One up or down in a list that goes round; -1 is before its beginning. */
const stepped = (index: number, step: 1 | -1, count: number): number =>
  index === -1 ? (step === 1 ? 0 : count - 1) : (index + step + count) % count;

/** What is searched when a suggestion is chosen: words complete the last one, names stand for all that was typed. */
const queryOf = ({ type, text }: Suggestion, typed: string): string => {
  if (type === 'correspondent' || type === 'document_type') return nameQuery(type, text);
  return type === 'recent' ? text : [...typed.trim().split(/\s+/).slice(0, -1), text].join(' ');
};

/** Where `/` is pressed outside of any field, this field has the word. */
const useSlash = (focus: () => void): void => {
  const current = useRef(focus);
  current.current = focus;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      current.current();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
};

/** The search field of the head: suggests while one types, and shows results at once where the results are shown. */
export const SearchField = (): ReactNode => {
  const t = useTranslate();
  const isNarrow = useIsNarrow();
  const [location, navigate] = useLocation();
  const search = useSearch();
  const isOnResults = location === '/search';
  const shownQuery = isOnResults ? (new URLSearchParams(search).get('q') ?? '') : '';
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(shownQuery);
  const [hasFocus, setFocus] = useState(false);
  const listId = useId();
  const [wantsList, setWantsList] = useState(false);
  /** Which of the suggestions the arrows are at. */
  const [chosen, setChosen] = useState(-1);
  useSlash(() => input.current?.select());

  // the address may change by other means: back, a link, a facet
  useEffect(() => {
    if (!hasFocus) setTyped(shownQuery);
  }, [shownQuery, hasFocus]);

  const [q] = useDebouncedValue(typed.trim().slice(0, MOST_CHARACTERS), SUGGEST_MS);
  const suggestions = useSuggestions({ typed, q, hasFocus, wantsDocuments: !isOnResults });
  const isListShown = wantsList && suggestions.length > 0;
  const closeList = (): void => {
    setWantsList(false);
    setChosen(-1);
  };

  const show = (query: string, { replace = false }: { readonly replace?: boolean } = {}): void => {
    const next = new URLSearchParams(isOnResults ? search : '');
    next.delete('page');
    if (query === '') next.delete('q');
    else next.set('q', query);
    navigate(`/search?${next}`, { replace });
  };

  // results while one types, where they are on the screen
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (text: string): void => {
    setTyped(text);
    setWantsList(true);
    setChosen(-1);
    clearTimeout(timer.current);
    if (isOnResults) timer.current = setTimeout(() => show(text.trim(), { replace: true }), SEARCH_MS);
  };

  const submit = (index: number): void => {
    closeList();
    clearTimeout(timer.current);
    const suggestion = suggestions[index];
    if (suggestion?.document_id !== undefined) {
      navigate(
        suggestion.hit === undefined ? `/documents/${suggestion.document_id}` : hitAddress(suggestion.hit, suggestion.query ?? typed),
      );
      input.current?.blur();
      return;
    }
    const query = suggestion === undefined ? typed.trim() : queryOf(suggestion, typed);
    setTyped(query);
    if (query === '') return;
    keepRecentSearch(query);
    show(query);
  };

  const onKeyDown = (event: ReactKeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && suggestions.length > 0) {
      event.preventDefault();
      setWantsList(true);
      setChosen(stepped(chosen, step, suggestions.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) submit(isListShown ? chosen : -1);
    else if (event.key === 'Escape') {
      event.preventDefault(); // browsers would empty the field
      if (isListShown) closeList();
      else input.current?.blur();
    }
  };

  return (
    <div style={{ position: 'relative' }}>
      <TextInput
        ref={input}
        role="combobox"
        type="search"
        aria-label={t('search.placeholder')}
        placeholder={isNarrow ? t('search.title') : t('search.placeholder')}
        aria-haspopup="listbox"
        aria-autocomplete="list"
        aria-expanded={isListShown}
        aria-controls={isListShown ? listId : undefined}
        aria-activedescendant={isListShown && chosen !== -1 ? optionIdOf(listId, chosen) : undefined}
        autoComplete="off"
        value={typed}
        maxLength={2_000}
        leftSection={<IconSearch size={16} />}
        rightSection={
          typed === '' ? (
            !isNarrow && (
              <Kbd size="xs" aria-hidden>
                /
              </Kbd>
            )
          ) : (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('search.clear')}
              onClick={() => {
                change('');
                input.current?.focus();
              }}
            >
              <IconX size={14} />
            </ActionIcon>
          )
        }
        rightSectionPointerEvents="all"
        onFocus={() => {
          Suggestions.prepare();
          setFocus(true);
          setWantsList(true);
        }}
        onBlur={() => {
          setFocus(false);
          closeList();
        }}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        styles={{ input: { WebkitAppearance: 'none' } }}
      />
      {isListShown && <Suggestions.Part id={listId} suggestions={suggestions} chosen={chosen} onChoose={submit} />}
    </div>
  );
};
