import { useQuery } from '@tanstack/react-query';
import { type Answer, call } from '../interface/call.ts';
import type { Problem } from '../interface/problem.ts';

export type CustomField = Answer<'get /api/fields'>['data'][number];

const PAGE = 100;
/** There are at most five hundred fields. */
const MOST_PAGES = 5;
const FRESH_MS = 60_000;
/** The same one each time, so that nothing is drawn again for it. */
const NONE: readonly CustomField[] = [];

const readAll = async (signal: AbortSignal): Promise<readonly CustomField[]> => {
  const all: CustomField[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data, pagination } = await call('get /api/fields', { query: { page, per_page: PAGE }, signal });
    all.push(...data);
    if (!pagination.has_next) break;
  }
  return all;
};

/** Every custom field, by name: documents name theirs, and only this tells their types. */
export const useAllFields = (): readonly CustomField[] => {
  const { data } = useQuery<readonly CustomField[], Problem>({
    queryKey: ['get /api/fields', 'all'],
    queryFn: ({ signal }) => readAll(signal),
    staleTime: FRESH_MS,
  });
  return data ?? NONE;
};

/** A document as far as its fields depend on it. */
interface Fielded {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly empty_fields: readonly string[];
  readonly document_type?: { readonly id: string } | null;
}

interface OfferedFields {
  /** Those that it has, with or without a value, and those of its type: these stand on the screen, those of its type first. */
  readonly shown: readonly CustomField[];
  /** What can be added, those without a type first. */
  readonly others: readonly CustomField[];
}

/** Whether the field is on the document, with or without a value. */
export const hasField = ({ fields, empty_fields: empty }: Fielded, { name }: Pick<CustomField, 'name'>): boolean =>
  Object.hasOwn(fields, name) || empty.includes(name);

/** The fields of a document in their order. `added` are the ids of those that are being added. */
export const offeredFields = (document: Fielded, all: readonly CustomField[], added: ReadonlySet<string>): OfferedFields => {
  const typeId = document.document_type?.id;
  const isOfType = ({ document_type_id: id }: CustomField): boolean => id !== null && id === typeId;
  const rank = (field: CustomField): number => (isOfType(field) ? 0 : field.document_type_id === null ? 1 : 2);
  const sorted = all.toSorted((a, b) => rank(a) - rank(b));
  const isShown = (field: CustomField): boolean => hasField(document, field) || isOfType(field) || added.has(field.id);
  return { shown: sorted.filter(isShown), others: sorted.filter((field) => !isShown(field)) };
};
