import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Answer, type Arguments, call, keyOf } from '../../interface/call.ts';
import type { Problem } from '../../interface/problem.ts';

export type ListedDocument = Answer<'get /api/documents'>['data'][number];
type Page = Answer<'get /api/documents'>;
type Query = NonNullable<Arguments<'get /api/documents'>['query']>;

export const PER_PAGE = 100;
/** Pages that nobody sees any more are forgotten after this time, so that a walk through a great library stays small. */
const FORGET_MS = 30_000;
/** Pages are asked for when one stays at them so long: who pulls the scroll bar passes hundreds of them. */
const STAY_MS = 80;

export interface DocumentWindow {
  /** Undefined while nothing is known. */
  readonly total: number | undefined;
  /** Undefined while it is loaded. */
  readonly at: (index: number) => ListedDocument | undefined;
  /** Those that are loaded, with their place. */
  readonly known: readonly (readonly [index: number, document: ListedDocument])[];
  /** All from `first` to `last`, also those that are not loaded yet. */
  readonly load: (first: number, last: number) => Promise<readonly ListedDocument[]>;
  /** Whose all of them are; undefined where that is not known, as one has not seen them all. */
  readonly owners: ReadonlySet<string> | undefined;
  readonly problem: Problem | null;
  readonly retry: () => void;
}

/** The pages of a list that hold the rows from `first` to `last`, and the first one. */
export const pagesOf = (first: number, last: number): readonly number[] => {
  const [from, to] = [Math.floor(Math.max(0, first) / PER_PAGE) + 1, Math.floor(Math.max(0, last) / PER_PAGE) + 1];
  return [...new Set([1, ...Array.from({ length: to - from + 1 }, (_, index) => from + index)])];
};

/** Whether one came to `next` from `before` by scrolling on, and not by a jump. */
export const isNear = (before: readonly number[], next: readonly number[]): boolean =>
  next.every((page) => before.some((one) => Math.abs(one - page) <= 1));

/** The pages of the rows that are on the screen; changes only when others are to be asked for. */
export const useShownPages = (): readonly [pages: readonly number[], onRange: (first: number, last: number) => void] => {
  const [pages, setPages] = useState<readonly number[]>([1]);
  const shown = useRef(pages);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onRange = useCallback((first: number, last: number) => {
    const next = pagesOf(first, last);
    clearTimeout(timer.current);
    if (next.join() === shown.current.join()) return;
    const show = (): void => {
      shown.current = next;
      setPages(next);
    };
    if (isNear(shown.current, next)) show();
    else timer.current = setTimeout(show, STAY_MS);
  }, []);
  return [pages, onRange];
};

/** Whose `known` are, where these are all `total` documents of a list. */
export const ownersOf = (known: readonly Pick<ListedDocument, 'owner_id'>[], total: number | undefined): ReadonlySet<string> | undefined =>
  known.length === total ? new Set(known.map(({ owner_id: owner }) => owner)) : undefined;

const pageQuery = (query: Query, page: number) => {
  const given = { query: { ...query, page, per_page: PER_PAGE } };
  return {
    queryKey: keyOf('get /api/documents', given),
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Page> => call('get /api/documents', { ...given, signal }),
    gcTime: FORGET_MS,
  };
};

/** The part of a list that is seen. Only its pages are asked for, however long the list is. */
export const useDocumentWindow = (query: Query, pages: readonly number[]): DocumentWindow => {
  const client = useQueryClient();
  const answers = useQueries({ queries: pages.map((page) => pageQuery(query, page)) });
  const byPage = new Map(pages.map((page, index) => [page, answers[index]?.data]));
  const failed = answers.find(({ error, data }) => error !== null && data === undefined);
  const total = answers.find(({ data }) => data !== undefined)?.data?.pagination.total;
  const load = async (first: number, last: number): Promise<readonly ListedDocument[]> => {
    const documents: ListedDocument[] = [];
    for (let page = Math.floor(first / PER_PAGE); page <= Math.floor(last / PER_PAGE); page += 1) {
      const { data } = await client.fetchQuery(pageQuery(query, page + 1));
      documents.push(...data.slice(Math.max(0, first - page * PER_PAGE), last + 1 - page * PER_PAGE));
    }
    return documents;
  };
  return {
    total,
    known: [...byPage].flatMap(([page, answer]) =>
      (answer?.data ?? []).map((document, row) => [(page - 1) * PER_PAGE + row, document] as const),
    ),
    load,
    at: (index) => byPage.get(Math.floor(index / PER_PAGE) + 1)?.data[index % PER_PAGE],
    owners: ownersOf(
      answers.flatMap(({ data }) => data?.data ?? []),
      total,
    ),
    problem: (failed?.error ?? null) as Problem | null,
    retry: () => void failed?.refetch(),
  };
};

export interface ShownWindow extends DocumentWindow {
  /** Where a row of this list is in that of the service. */
  readonly placeOf: (index: number) => number;
}

/** A list as if what is being deleted was gone already: the others close up, and the total is theirs. */
export const withoutHidden = (window: DocumentWindow, hidden: ReadonlySet<string>): ShownWindow => {
  const gaps = window.known.flatMap(([index, { id }]) => (hidden.has(id) ? [index] : [])).toSorted((a, b) => a - b);
  const placeOf = (index: number): number => {
    let place = index;
    for (const gap of gaps) {
      if (gap > place) break;
      place += 1;
    }
    return place;
  };
  return {
    ...window,
    known: window.known
      .filter(([, { id }]) => !hidden.has(id))
      .map(([index, document]) => [index - gaps.filter((gap) => gap < index).length, document] as const),
    total: window.total === undefined ? undefined : Math.max(0, window.total - gaps.length),
    at: (index) => window.at(placeOf(index)),
    load: async (first, last) => (await window.load(placeOf(first), placeOf(last))).filter(({ id }: ListedDocument) => !hidden.has(id)),
    placeOf,
  };
};
