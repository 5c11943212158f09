import { AppError } from '@sheaf/contract';
import { createSavedSearchRequest } from '@sheaf/contract/search';
import { readingReach } from '@sheaf/db';
import { savedSearches, type ViewRule } from '@sheaf/db/schema';
import { toName } from '@sheaf/imports/shared';
import { createSavedSearch, type SavedSearchFields } from '@sheaf/search/saved-searches';
import { MAX_SAVED_SEARCH_NAME_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { PAPERLESS_SORTS } from '../archive/index.ts';
import { type PaperlessNames, readRules } from '../filters/read-rules.ts';
import type { PaperlessKind } from '../ids.ts';
import { type ImportContext, readAll } from './context.ts';
import type { ImportedField, ImportedPaths } from './fields.ts';
import { filterRuleFields, type SavedViewFields, savedViewFields } from './records.ts';
import type { ImportedUser } from './users.ts';

const MODEL = 'documents.savedview';

/** The rules of each view, in its order. */
const rulesOfViews = (context: ImportContext): ReadonlyMap<string, ViewRule[]> =>
  new Map(
    [...Map.groupBy(readAll(context, 'documents.savedviewfilterrule', filterRuleFields).values(), ({ saved_view: view }) => view)].map(
      ([view, rules]) => [view, rules.map(({ rule_type, value }) => ({ rule_type, value: value === '' ? null : value }))],
    ),
  );

const principalOf = ({ by }: ImportContext, user: ImportedUser | undefined): Principal =>
  user === undefined ? by : { userId: user.id, username: user.username, role: '', permissions: [], via: 'token' };

const toFields = async (
  { report }: ImportContext,
  view: SavedViewFields,
  rules: readonly ViewRule[],
  names: PaperlessNames,
): Promise<SavedSearchFields | undefined> => {
  const refuse = (left: readonly ViewRule[]): void => {
    for (const { rule_type: type, value } of left)
      report.leave(
        'saved view rule',
        `${view.name}: rule ${type}`,
        `Searches cannot say this, so the saved search finds more. Value: ${value ?? 'none'}`,
      );
  };
  const { query, filters } = await readRules(names, rules, { plain: true, refuse });
  const sort = PAPERLESS_SORTS[view.sort_field];
  if (sort === undefined && view.sort_field !== '')
    report.leave('saved view order', view.name, `Searches are not ordered by ${view.sort_field}`);
  if (view.show_on_dashboard === true) report.leave('saved view', view.name, 'There is no dashboard; pin the saved search instead');
  const parsed = createSavedSearchRequest.safeParse({
    name: toName(view.name, MAX_SAVED_SEARCH_NAME_CHARACTERS),
    query,
    filters,
    sort: sort ?? 'created_at',
    order: view.sort_reverse || sort === undefined ? 'desc' : 'asc',
  });
  if (parsed.success) {
    const { is_shared: _shared, is_pinned: _pinned, view_rules: viewRules, ...fields } = parsed.data;
    return { ...fields, viewRules, isShared: view.owner === undefined };
  }
  report.leave('saved view', view.name, `${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`.trim());
  return undefined;
};

/** Takes over saved views as saved searches of their owners, as far as searches can say what their rules do. */
export const importViews = async (
  context: ImportContext,
  users: ReadonlyMap<string, ImportedUser>,
  names: PaperlessNames,
): Promise<void> => {
  const { db, items, report } = context;
  const views = readAll(context, MODEL, savedViewFields);
  const rules = rulesOfViews(context);
  const known = await items.findRows(db, MODEL, savedSearches);
  for (const [pk, view] of views) {
    if (known.has(pk)) continue;
    const fields = await toFields(context, view, rules.get(pk) ?? [], names);
    if (fields === undefined) continue;
    const owner = view.owner === undefined ? undefined : users.get(view.owner);
    if (view.owner !== undefined && owner === undefined)
      report.leave('owner', view.name, 'The owner of the saved view is not there; it belongs to the requester of the import');
    try {
      await db.transaction(async (tx) => {
        const id = await createSavedSearch(tx, { principal: principalOf(context, owner), address: undefined }, fields, {
          isPinned: view.show_in_sidebar === true,
        });
        await items.add(tx, MODEL, [{ foreignId: pk, localId: id }]);
      });
      report.count('saved_searches');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      report.leave('saved view', view.name, error.message);
    }
  }
};

/** What the numbers of the other system became here. */
export const namesInImport = (
  { by }: ImportContext,
  tables: {
    readonly ids: Readonly<Partial<Record<PaperlessKind, ReadonlyMap<string, string>>>>;
    readonly inboxTags: readonly string[];
    readonly fields: ReadonlyMap<string, ImportedField>;
    readonly paths: ImportedPaths;
  },
): PaperlessNames => {
  const { ids, inboxTags, fields, paths } = tables;
  const numbered = [...fields].flatMap(([pk, { name, fields: own, options }]) =>
    own
      .slice(0, 1)
      .map((kind) => ({ number: Number(pk), name, kind: { id: kind.id, name: kind.name, type: kind.type }, choices: options })),
  );
  const { field } = paths;
  return {
    reach: readingReach(by),
    find: (kind, numbers) => {
      const known = ids[kind];
      const found = numbers.flatMap((number) => {
        const id = known?.get(String(number));
        return id === undefined ? [] : [[number, id] as const];
      });
      return Promise.resolve(new Map(found));
    },
    fields: () => Promise.resolve(numbered),
    inboxTags,
    paths: field && {
      field: { id: field.id, name: field.name, type: field.type },
      names: new Map([...paths.names].map(([pk, name]) => [Number(pk), name])),
    },
  };
};
