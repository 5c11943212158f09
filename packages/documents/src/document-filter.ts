import { documentsFor, hasSimilarFor, type ScopedPrincipal } from '@sheaf/db';
import { and, eq, gte, inArray, isNull, lt, type PgColumn, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { FIELD_FILTERS, type FieldFilters } from '@sheaf/vocabulary/document-fields';
import type { DocumentStatus } from '@sheaf/vocabulary/documents';

/** Which documents by what they are; every condition that is given must hold. */
export interface DocumentFilter {
  readonly status?: DocumentStatus | undefined;
  readonly sourceId?: string | undefined;
  readonly ownerId?: string | undefined;
  /** What their text was found to be in, as a code of tesseract. */
  readonly language?: string | undefined;
  readonly labelIds?: readonly string[] | undefined;
  /** Whether a document has any of `labelIds`, or all of them. */
  readonly labelMatch?: 'any' | 'all' | undefined;
  /** Whether a document has a label at all. */
  readonly hasLabels?: boolean | undefined;
  readonly mimeTypes?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  /** The first moment that is too late. */
  readonly before?: Date | undefined;
  /** The values of declared fields. */
  readonly values?: FieldFilters | undefined;
  /** The id that it had in the system that it was imported from. */
  readonly importedFrom?: string | undefined;
  /** Who it is from: any of them; and whether that is known at all. */
  readonly correspondentIds?: readonly string[] | undefined;
  readonly hasCorrespondent?: boolean | undefined;
  readonly documentTypeIds?: readonly string[] | undefined;
  readonly hasDocumentType?: boolean | undefined;
  /** Whether it has a near-duplicate among the documents that may be read. */
  readonly hasSimilar?: boolean | undefined;
  /** A condition on `documents.id` that custom fields make. */
  readonly fields?: SQL | undefined;
  /** A further condition on rows of `documents`, for what none of the others can say. */
  readonly further?: SQL | undefined;
}

/** The labels that are asked for, each once. */
export const labelsOf = ({ labelIds = [] }: DocumentFilter): string[] => [...new Set(labelIds)];

/** How the labels of documents are looked up: as the planner sees fit, or in a table of hashes of all documents that have them. */
export type LabelLookup = 'planned' | 'hashed';

/**
 * A near page is found by looking up the labels of each document on the way, or by sorting the documents of the label: the planner sees which.
 * On the way to a far page each look costs 2.5 µs against 0.3 µs for one into a table of hashes, and `is true` keeps the planner from a join,
 * after which it would have to sort.
 */
const carriesOne = (labelIds: readonly string[], lookup: LabelLookup): SQL => {
  const [only, ...others] = labelIds;
  const isOne =
    others.length === 0
      ? sql`document_labels.label_id = ${only}::uuid`
      : sql`document_labels.label_id = any(${sql.param([...labelIds])}::uuid[])`;
  return lookup === 'hashed'
    ? sql`(documents.id in (select document_labels.document_id from document_labels where ${isOne})) is true`
    : sql`exists (select from document_labels where document_labels.document_id = documents.id and ${isOne})`;
};

const carries = (filter: DocumentFilter, lookup: LabelLookup): SQL[] => {
  const labelIds = labelsOf(filter);
  if (labelIds.length === 0) return [];
  return filter.labelMatch === 'all' ? labelIds.map((labelId) => carriesOne([labelId], lookup)) : [carriesOne(labelIds, lookup)];
};

const HAS_LABELS = sql`exists (select from document_labels where document_labels.document_id = documents.id)`;

const isOneOf = (column: PgColumn, ids: readonly string[] | undefined): SQL | undefined => {
  const [only, ...others] = new Set(ids);
  if (only === undefined) return undefined;
  return others.length === 0 ? eq(column, only) : sql`${column} = any(${sql.param([only, ...others])}::uuid[])`;
};

const isGiven = (column: PgColumn, wanted: boolean | undefined): SQL | undefined =>
  wanted === undefined ? undefined : wanted ? sql`${column} is not null` : isNull(column);

/** Who documents are from, and what they are. */
const isFiled = (filter: DocumentFilter): (SQL | undefined)[] => [
  isOneOf(documents.correspondentId, filter.correspondentIds),
  isGiven(documents.correspondentId, filter.hasCorrespondent),
  isOneOf(documents.documentTypeId, filter.documentTypeIds),
  isGiven(documents.documentTypeId, filter.hasDocumentType),
];

const isSimilar = (principal: ScopedPrincipal, wanted: boolean | undefined): SQL | undefined => {
  if (wanted === undefined) return undefined;
  const hasSimilar = hasSimilarFor(principal, sql`${documents.id}`);
  return wanted ? hasSimilar : sql`not ${hasSimilar}`;
};

/** The conditions of filters by declared fields. */
const hasValues = (values: FieldFilters): SQL[] =>
  FIELD_FILTERS.flatMap(({ name, field, compare }) =>
    values[name] === undefined ? [] : [sql`${documents[field.column]} ${sql.raw(compare)} ${values[name]}`],
  );

/** What `principal` means by a filter. */
const matchesFilter = (principal: ScopedPrincipal, filter: DocumentFilter, lookup: LabelLookup = 'planned'): SQL | undefined => {
  const { status, sourceId, ownerId, language, hasLabels, mimeTypes, from, before, values = {}, importedFrom, fields, further } = filter;
  return and(
    status === undefined ? undefined : eq(documents.status, status),
    sourceId === undefined ? undefined : eq(documents.sourceId, sourceId),
    ownerId === undefined ? undefined : eq(documents.ownerId, ownerId),
    language === undefined ? undefined : eq(documents.language, language),
    mimeTypes === undefined || mimeTypes.length === 0 ? undefined : inArray(documents.mimeType, [...mimeTypes]),
    from && gte(documents.createdAt, from),
    before && lt(documents.createdAt, before),
    ...hasValues(values),
    importedFrom === undefined ? undefined : eq(documents.importedFrom, importedFrom),
    ...isFiled(filter),
    isSimilar(principal, filter.hasSimilar),
    fields,
    further,
    ...carries(filter, lookup),
    hasLabels === undefined ? undefined : hasLabels ? HAS_LABELS : sql`not ${HAS_LABELS}`,
  );
};

/** Which documents the caller may read and has asked for, as a condition on rows of `documents`. */
export const matching = (principal: ScopedPrincipal, filter: DocumentFilter, lookup?: LabelLookup): SQL | undefined =>
  and(documentsFor(principal, 'documents.read'), matchesFilter(principal, filter, lookup));
