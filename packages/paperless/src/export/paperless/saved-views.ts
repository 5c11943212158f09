import { searchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { asc, sql } from '@sheaf/db/drizzle';
import { savedSearches, type ViewRule } from '@sheaf/db/schema';
import { PAPERLESS_SORT_FIELDS } from '../../archive/index.ts';
import { type FieldKind, readFieldKinds } from '../../document-parts.ts';
import { type RuleNumbers, writeRules } from '../../filters/write-rules.ts';
import type { PaperlessKind } from '../../ids.ts';
import { type ManifestRecord, type PaperlessFormat, type RowNumbers, sheafExtra } from './content-types.ts';
import type { ExportedFields, Filing } from './filing.ts';

const SORT_FIELDS: Readonly<Record<string, string>> = PAPERLESS_SORT_FIELDS;

const VALUE_CHARACTERS = 255;
/** Words and phrases, which all versions of Paperless-ngx read as they are read here. */
const PLAIN_QUERY = /^(?:[\p{L}\p{N} ]|"[\p{L}\p{N} ]+")*$/u;
const OPERATORS = /\b(?:AND|OR|NOT|TO)\b/;

/** What a search asks for, by the numbers that it has in the export. */
const ruleNumbers = ({ filing, users, fields, kinds, numberOf }: Options & { readonly kinds: readonly FieldKind[] }): RuleNumbers => {
  const numbersOf: Readonly<Partial<Record<PaperlessKind, (id: string) => number | null | undefined>>> = {
    tag: (id) => filing.labels.numbers.of(id),
    correspondent: (id) => filing.correspondents.numbers.of(id),
    document_type: (id) => filing.documentTypes.numbers.of(id),
    user: (id) => users.of(id),
    custom_field: (id) => fields.get(id)?.pk,
    document: numberOf,
  };
  return {
    numberOf: (kind, id) => numbersOf[kind]?.(id) ?? undefined,
    fields: kinds.flatMap((kind) => {
      const field = fields.get(kind.id);
      return field === undefined ? [] : [{ number: field.pk, name: kind.name, kind, choices: field.choices }];
    }),
  };
};

/** The rules that find the same documents; undefined where no rules do, or where the export has no room for them. */
const rulesOf = (query: string, given: unknown, numbers: RuleNumbers): readonly ViewRule[] | undefined => {
  const filters = searchFilters.safeParse(given);
  const isPlain = PLAIN_QUERY.test(query.trim()) && !OPERATORS.test(query);
  const rules = filters.success && isPlain ? writeRules({ query, filters: filters.data }, numbers) : undefined;
  return rules?.every(({ value }) => (value ?? '').length <= VALUE_CHARACTERS) === true ? rules : undefined;
};

/** A saved search without a counterpart. */
export type OtherSearch = Readonly<Record<string, unknown>>;

interface Options {
  readonly format: PaperlessFormat;
  readonly filing: Filing;
  readonly users: RowNumbers;
  readonly fields: ExportedFields;
  /** The numbers of the documents of the export. */
  readonly numberOf: (documentId: string) => number | undefined;
  /** Called for the searches that cannot be expressed. */
  readonly other: (search: OtherSearch) => void;
}

/** The saved searches that can be expressed as saved views, with what they are here beside it. */
export async function* savedViewRecords(db: Db, options: Options): AsyncGenerator<ManifestRecord> {
  const { format, users, other } = options;
  const numbers = ruleNumbers({ ...options, kinds: await readFieldKinds(db) });
  const isPinned = sql<boolean>`exists (select from saved_search_pins
    where saved_search_id = ${savedSearches.id} and user_id = ${savedSearches.ownerId})`;
  const rows = await db.select({ search: savedSearches, isPinned }).from(savedSearches).orderBy(asc(savedSearches.id));
  let [views, filterRuleCount] = [0, 0];
  for (const { search, isPinned: inSidebar } of rows) {
    const { id, name, query, filters, sort, order, columns, isShared, ownerId } = search;
    const here = { id, query, filters, sort, order, columns, is_shared: isShared };
    const rules = rulesOf(query, filters, numbers);
    if (rules === undefined) {
      other({ name, owner_id: ownerId, ...here });
      continue;
    }
    views += 1;
    yield {
      model: 'documents.savedview',
      pk: views,
      fields: {
        owner: users.of(ownerId),
        name,
        ...(format === 2 ? { show_on_dashboard: false, show_in_sidebar: inSidebar } : {}),
        sort_field: SORT_FIELDS[sort] ?? null,
        sort_reverse: order === 'desc',
        page_size: null,
        display_mode: null,
        display_fields: null,
      },
      ...sheafExtra(here),
    };
    for (const rule of rules) {
      filterRuleCount += 1;
      yield { model: 'documents.savedviewfilterrule', pk: filterRuleCount, fields: { saved_view: views, ...rule } };
    }
  }
}
