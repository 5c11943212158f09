import { recordAudit } from '@sheaf/accounts/users';
import { AppError } from '@sheaf/contract';
import type { RuleAction } from '@sheaf/contract/rules';
import { rules } from '@sheaf/db/schema';
import { toName } from '@sheaf/imports/shared';
import { createRule } from '@sheaf/rules';
import { writeQuery } from '@sheaf/search';
import { MAX_RULE_NAME_CHARACTERS } from '@sheaf/vocabulary/limits';
import { type ImportContext, readAll } from './context.ts';
import type { ImportedPaths } from './fields.ts';
import { storagePathFields } from './records.ts';

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
