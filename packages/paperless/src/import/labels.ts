import { recordAudit } from '@sheaf/accounts/users';
import { AppError } from '@sheaf/contract';
import type { RuleAction } from '@sheaf/contract/rules';
import { labels, rules } from '@sheaf/db/schema';
import { createLabel, getLabel, getParent, lockLabelTree } from '@sheaf/documents/labels';
import { findByName, toName } from '@sheaf/imports/shared';
import { createRule } from '@sheaf/rules';
import { writeQuery } from '@sheaf/search';
import { MAX_LABEL_CHARACTERS, MAX_LABEL_LEVELS, MAX_RULE_NAME_CHARACTERS } from '@sheaf/vocabulary/limits';
import { type ImportContext, readAll } from './context.ts';
import type { ImportedPaths } from './fields.ts';
import { storagePathFields, type TagFields, tagFields } from './records.ts';

/** How an entry there finds its documents. */
interface Matching {
  readonly name: string;
  readonly match: string;
  readonly matching_algorithm: number;
  readonly is_insensitive: boolean;
}

const NONE = 0;
const ANY = 1;
const ALL = 2;
const EXACT = 3;

/** Why rules of these kinds cannot be rules here. */
const REASONS: Readonly<Record<number, string>> = {
  4: 'Rules have no regular expressions',
  5: 'Rules have no fuzzy matching',
  6: 'It was learned from documents, and the export does not have the model',
};

/** The words of `match`; several in quotes are one. */
const partsOf = (match: string): string[] =>
  match
    .split('"')
    .flatMap((part, at) => (at % 2 === 1 ? [part] : part.split(/\s+/u)))
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** As a query for the text of documents; undefined where it cannot be one. */
const toQuery = ({ match, matching_algorithm: algorithm }: Matching): string | undefined => {
  const terms = (algorithm === EXACT ? [match.replaceAll('"', ' ').trim()] : partsOf(match)).map((text) => ({
    field: 'content' as const,
    text,
    prefix: false,
  }));
  if (terms.length === 0 || terms.some(({ text }) => !/[\p{L}\p{N}]/u.test(text))) return undefined;
  if (algorithm === ANY) return writeQuery({ must: [terms], should: [], mustNot: [] });
  return algorithm === ALL || algorithm === EXACT ? writeQuery({ must: terms.map((term) => [term]), should: [], mustNot: [] }) : undefined;
};

/** What entries of one kind are for rules. */
interface Kind {
  readonly model: string;
  /** As a part of the names of rules. */
  readonly title: string;
  readonly reported: string;
}

const make = async (
  context: ImportContext,
  { model, title, reported }: Kind,
  pk: string,
  matching: Matching,
  query: string,
  action: RuleAction,
): Promise<void> => {
  const { db, by, items, report } = context;
  const name = toName(`${title}: ${matching.name}`, MAX_RULE_NAME_CHARACTERS) ?? title;
  try {
    await db.transaction(async (tx) => {
      const isEnabled = matching.is_insensitive;
      const { id } = await createRule(tx, by, { name, query, filters: {}, actions: [action], isEnabled });
      await recordAudit(tx, { actor: by, action: 'rule.created', outcome: 'success', subject: { type: 'rule', id }, details: { name } });
      await items.add(tx, `rule of ${model}`, [{ foreignId: pk, localId: id }]);
    });
    report.count('rules');
    if (!matching.is_insensitive)
      report.leave(reported, matching.name, 'Rules ignore the case of letters: the rule is there, but disabled');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    report.leave(reported, matching.name, error.message);
  }
};

/** Makes rules of the matching of entries, which have become `ids` here. */
const importRulesOf = async (
  context: ImportContext,
  kind: Kind,
  given: ReadonlyMap<string, Matching>,
  actionOf: (pk: string) => RuleAction | undefined,
): Promise<void> => {
  const { items, db, report } = context;
  const known = await items.findRows(db, `rule of ${kind.model}`, rules);
  for (const [pk, matching] of given) {
    const action = actionOf(pk);
    if (known.has(pk) || action === undefined || matching.matching_algorithm === NONE) continue;
    const query = toQuery(matching);
    if (query !== undefined) await make(context, kind, pk, matching, query, action);
    else if (matching.match !== '' || REASONS[matching.matching_algorithm] !== undefined)
      report.leave(
        kind.reported,
        matching.name,
        `${REASONS[matching.matching_algorithm] ?? 'It has no words to search for'}. Pattern: ${matching.match || 'none'}`,
      );
  }
};

export interface RuleTables {
  readonly labels: { readonly ids: ReadonlyMap<string, string>; readonly tags: ReadonlyMap<string, Matching> };
  readonly correspondents: { readonly ids: ReadonlyMap<string, string>; readonly given: ReadonlyMap<string, Matching> };
  readonly documentTypes: { readonly ids: ReadonlyMap<string, string>; readonly given: ReadonlyMap<string, Matching> };
  readonly paths: ImportedPaths;
}

const setter =
  (set: 'correspondent' | 'document_type', ids: ReadonlyMap<string, string>) =>
  (pk: string): RuleAction | undefined => {
    const id = ids.get(pk);
    return id === undefined ? undefined : { set, id };
  };

/** Takes over the matching of tags, correspondents, types and storage paths as rules of the administrator, as far as searches can say it. */
export const importRules = async (context: ImportContext, { labels, correspondents, documentTypes, paths }: RuleTables): Promise<void> => {
  await importRulesOf(context, { model: 'documents.tag', title: 'Label', reported: 'tag rule' }, labels.tags, (pk) => {
    const id = labels.ids.get(pk);
    return id === undefined ? undefined : { add_label: id };
  });
  await importRulesOf(
    context,
    { model: 'documents.correspondent', title: 'Correspondent', reported: 'correspondent rule' },
    correspondents.given,
    setter('correspondent', correspondents.ids),
  );
  await importRulesOf(
    context,
    { model: 'documents.documenttype', title: 'Document type', reported: 'document type rule' },
    documentTypes.given,
    setter('document_type', documentTypes.ids),
  );
  const { field, names } = paths;
  if (field === undefined) return;
  const given = readAll(context, 'documents.storagepath', storagePathFields);
  await importRulesOf(context, { model: 'documents.storagepath', title: 'Storage path', reported: 'storage path rule' }, given, (pk) => {
    const name = names.get(pk);
    return name === undefined ? undefined : { set: 'field', id: field.id, value: name };
  });
};

const MODEL = 'documents.tag';
const COLOUR = /^#[0-9a-fA-F]{6}$/;
const DEFAULT_COLOUR = '#a6cee3';

/** The tags, each behind the one that it stands below; of a ring the first one stands below none. */
const parentsFirst = (tags: ReadonlyMap<string, TagFields>): string[] => {
  const order = new Set<string>();
  for (const start of tags.keys()) {
    const way = new Set<string>();
    for (
      let pk: string | undefined = start;
      pk !== undefined && tags.has(pk) && !way.has(pk) && !order.has(pk);
      pk = tags.get(pk)?.tn_parent
    )
      way.add(pk);
    for (const pk of [...way].toReversed()) order.add(pk);
  }
  return [...order];
};

interface Made {
  readonly id: string;
  /** How many labels stand above it, and itself. */
  readonly level: number;
}

const makeLabel = async (context: ImportContext, name: string, tag: TagFields, parent: Made | undefined): Promise<Made> => {
  const { db, by, report } = context;
  if (!COLOUR.test(tag.color))
    report.leave('label colour', tag.name, `${tag.color || 'None'} is no colour; the label has ${DEFAULT_COLOUR}`);
  const fields = { name, color: COLOUR.test(tag.color) ? tag.color : DEFAULT_COLOUR, description: '' };
  const isTooDeep = parent !== undefined && parent.level >= MAX_LABEL_LEVELS;
  if (isTooDeep) report.leave('label parent', tag.name, `Labels have at most ${MAX_LABEL_LEVELS} levels; the label stands below none`);
  const above = parent === undefined || isTooDeep ? undefined : await getParent(db, by, parent.id);
  const { id } = await createLabel(db, fields, above, by);
  return { id, level: above === undefined ? 1 : above.path.length + 1 };
};

/** Makes the label of a tag, or finds the one of its name. */
const takeLabel = async (context: ImportContext, pk: string, tag: TagFields, parent: Made | undefined): Promise<Made | undefined> => {
  const { db, items, report, by } = context;
  const name = toName(tag.name, MAX_LABEL_CHARACTERS);
  if (name === undefined) {
    report.leave('label', pk, 'The tag has no name');
    return undefined;
  }
  if (name !== tag.name) report.leave('label name', tag.name, `The label is called ${name}`);
  const same = await findByName(db, labels, name, by.userId);
  const made =
    same === undefined ? await makeLabel(context, name, tag, parent) : { id: same, level: (await getLabel(db, by, same)).path.length };
  await items.add(db, MODEL, [{ foreignId: pk, localId: made.id, isJoined: same !== undefined }]);
  report.count('labels');
  if (tag.is_inbox_tag)
    report.leave('inbox tag', tag.name, 'The label is there, but new documents do not get it by themselves: a rule can add it');
  return made;
};

/** Takes over the tags with those above them, and answers the labels by the ids that the tags had. */
export const importLabels = async (
  context: ImportContext,
): Promise<{ ids: ReadonlyMap<string, string>; tags: ReadonlyMap<string, TagFields> }> => {
  const tags = readAll(context, MODEL, tagFields);
  const ids = new Map<string, string>();
  await context.db.transaction(async (tx) => {
    await lockLabelTree(tx);
    const inside = { ...context, db: tx };
    const known = await context.items.findRows(tx, MODEL, labels);
    const made = new Map<string, Made>();
    for (const pk of parentsFirst(tags)) {
      const tag = tags.get(pk);
      const id = known.get(pk);
      if (tag === undefined || id === null) continue;
      const parent = tag.tn_parent === undefined ? undefined : made.get(tag.tn_parent);
      const label =
        id === undefined ? await takeLabel(inside, pk, tag, parent) : { id, level: (await getLabel(tx, context.by, id)).path.length };
      if (label === undefined) continue;
      made.set(pk, label);
      ids.set(pk, label.id);
    }
  });
  return { ids, tags };
};
