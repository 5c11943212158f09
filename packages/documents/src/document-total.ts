import { type SQL, sql } from '@sheaf/db/drizzle';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { type DocumentFilter, labelsOf, matching } from './document-filter.ts';
import { type Tallied, tallied } from './document-tallies.ts';

const counted = (principal: Principal, filter: DocumentFilter): SQL =>
  sql`(select count(*)::int from documents where ${matching(principal, filter)})`;

const monthOf = (time: Date, months = 0): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
const isMonth = (time: Date): boolean => monthOf(time).getTime() === time.getTime();
const toDay = (month: Date): string => month.toISOString().slice(0, 10);

/** Whole months from the tallies, and what is before and behind them one by one. */
const countedByMonths = (principal: Principal, filter: DocumentFilter, by: Tallied): SQL => {
  const { from, before } = filter;
  const firstMonth = from && (isMonth(from) ? from : monthOf(from, 1));
  const lastMonth = before && monthOf(before);
  if (firstMonth !== undefined && lastMonth !== undefined && firstMonth >= lastMonth) return counted(principal, filter);
  const parts = [tallied(principal, { ...by, months: { from: firstMonth && toDay(firstMonth), before: lastMonth && toDay(lastMonth) } })];
  if (from !== undefined && !isMonth(from)) parts.push(counted(principal, { ...filter, before: firstMonth }));
  if (before !== undefined && !isMonth(before)) parts.push(counted(principal, { ...filter, from: lastMonth }));
  return sql.join(parts, sql` + `);
};

const idsWith = (labelId: string): SQL => sql`select document_id from document_labels where label_id = ${labelId}::uuid`;

/** Documents that have each of some labels: two walks side by side through the index of labels, 0.12 s for 400,000 and 50,000 documents. */
const countedWithAll = (first: string, others: readonly string[]): SQL => {
  const joined = others.map((labelId) => sql`join (${idsWith(labelId)}) as ${sql.identifier(`with_${labelId}`)} using (document_id)`);
  return sql`(select count(*)::int from (${idsWith(first)}) as with_first ${sql.join(joined, sql` `)})`;
};

/**
 * Documents that have any of some labels. What two have together is fewer documents than each of them has, so that it is counted and
 * taken away: 0.12 s instead of 1.3 s, as nothing has to be hashed.
 */
const countedWithAny = (principal: Principal, labelIds: readonly string[]): SQL => {
  const [first = '', second, ...others] = labelIds;
  if (second !== undefined && others.length === 0)
    return sql`(${tallied(principal, { labelId: first })} + ${tallied(principal, { labelId: second })} - ${countedWithAll(first, [second])})`;
  return sql`(select count(distinct document_id)::int from document_labels where label_id = any(${sql.param([...labelIds])}::uuid[]))`;
};

/** Whether nothing is asked for that the tallies do not know. */
export const isTallied = ({ mimeTypes = [], correspondentIds = [], documentTypeIds = [], ...filter }: DocumentFilter): boolean =>
  [mimeTypes, correspondentIds, documentTypeIds].every((wanted) => wanted.length === 0) &&
  [filter.language, filter.ownerId, filter.hasLabels, filter.hasCorrespondent, filter.hasDocumentType, filter.hasSimilar].every(
    (value) => value === undefined,
  ) &&
  [filter.documentDateFrom, filter.documentDateTo, filter.archiveNumber, filter.importedFrom, filter.fields, filter.further].every(
    (value) => value === undefined,
  );

/** How many documents match, as an SQL expression: by the tallies, or one by one where several labels meet. */
export const totalOf = (principal: Principal, filter: DocumentFilter): SQL => {
  const { status, sourceId, from, before } = filter;
  if (!isTallied(filter)) return counted(principal, filter);
  const isDated = from !== undefined || before !== undefined;
  const [labelId, ...others] = labelsOf(filter);
  if (labelId !== undefined && others.length > 0) {
    // where labels are all that is asked for, the table of documents has nothing to add
    const isByLabels =
      scopeOf(principal.permissions, 'documents.read') === 'all' && !isDated && status === undefined && sourceId === undefined;
    if (!isByLabels) return counted(principal, filter);
    return filter.labelMatch === 'all' ? countedWithAll(labelId, others) : countedWithAny(principal, [labelId, ...others]);
  }
  const by = { labelId, status, sourceId };
  return isDated ? countedByMonths(principal, filter, by) : tallied(principal, by);
};
