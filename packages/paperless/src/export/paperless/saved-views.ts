import type { Db } from '@sheaf/db';
import { asc, sql } from '@sheaf/db/drizzle';
import { savedSearches } from '@sheaf/db/schema';
import { PAPERLESS_RULES, PAPERLESS_SORT_FIELDS } from '../../archive/index.ts';
import { type ManifestRecord, type PaperlessFormat, type RowNumbers, sheafExtra } from './content-types.ts';
import type { Filing } from './filing.ts';

interface FilterRule {
  readonly rule_type: number;
  readonly value: string;
}

const SORT_FIELDS: Readonly<Record<string, string>> = PAPERLESS_SORT_FIELDS;

const VALUE_CHARACTERS = 255;
/** Nothing but words, which both understand alike. */
const PLAIN_WORDS = /^[\p{L}\p{N} ]*$/u;
const OPERATORS = new Set(['AND', 'OR', 'NOT']);

const isListOfTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

const queryRules = (query: string): readonly FilterRule[] | undefined => {
  const text = query.trim();
  if (text === '') return [];
  const isPlain = PLAIN_WORDS.test(text) && text.length <= VALUE_CHARACTERS && !text.split(' ').some((word) => OPERATORS.has(word));
  return isPlain ? [{ rule_type: PAPERLESS_RULES.titleOrContent, value: text }] : undefined;
};

/** A rule for each of these ids; undefined where one is not in the export. */
const idRules = (rule: number, ids: unknown, numbers: RowNumbers): readonly FilterRule[] | undefined => {
  if (!isListOfTexts(ids)) return undefined;
  const values = ids.map((id) => numbers.of(id));
  return values.includes(null) ? undefined : values.map((value) => ({ rule_type: rule, value: String(value) }));
};

/** The rules of one filter; undefined where there is no such rule. */
const filterRules = (name: string, value: unknown, filters: Readonly<Record<string, unknown>>, filing: Filing) => {
  const one = (rule: number): readonly FilterRule[] => [{ rule_type: rule, value: String(value) }];
  switch (name) {
    case 'label_ids':
      return idRules(
        filters['label_match'] === 'all' ? PAPERLESS_RULES.hasTag : PAPERLESS_RULES.hasOneOfTags,
        value,
        filing.labels.numbers,
      );
    case 'label_match':
      return [];
    case 'has_labels':
      return one(PAPERLESS_RULES.hasAnyTag);
    case 'correspondent_ids':
      return idRules(PAPERLESS_RULES.correspondent, value, filing.correspondents.numbers);
    case 'document_type_ids':
      return idRules(PAPERLESS_RULES.documentType, value, filing.documentTypes.numbers);
    case 'document_date_from':
      return one(PAPERLESS_RULES.createdFrom);
    case 'document_date_to':
      return one(PAPERLESS_RULES.createdTo);
    case 'archive_number':
      return one(PAPERLESS_RULES.archiveNumber);
    default:
      return undefined;
  }
};

/** The rules that find the same documents; undefined where no rules do. */
const rulesOf = (query: string, filters: Readonly<Record<string, unknown>>, filing: Filing): readonly FilterRule[] | undefined => {
  const parts = [queryRules(query), ...Object.entries(filters).map(([name, value]) => filterRules(name, value, filters, filing))];
  return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
};

/** A saved search without a counterpart. */
export type OtherSearch = Readonly<Record<string, unknown>>;

interface Options {
  readonly format: PaperlessFormat;
  readonly filing: Filing;
  readonly users: RowNumbers;
  /** Is told of the searches that cannot be expressed. */
  readonly other: (search: OtherSearch) => void;
}

/** The saved searches that can be expressed as saved views, with what they are here beside it. */
export async function* savedViewRecords(db: Db, { format, filing, users, other }: Options): AsyncGenerator<ManifestRecord> {
  const isPinned = sql<boolean>`exists (select from saved_search_pins
    where saved_search_id = ${savedSearches.id} and user_id = ${savedSearches.ownerId})`;
  const rows = await db.select({ search: savedSearches, isPinned }).from(savedSearches).orderBy(asc(savedSearches.id));
  let [views, filterRuleCount] = [0, 0];
  for (const { search, isPinned: inSidebar } of rows) {
    const { id, name, query, filters, sort, order, columns, isShared, ownerId } = search;
    const here = { id, query, filters, sort, order, columns, is_shared: isShared };
    const rules = rulesOf(query, filters, filing);
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
