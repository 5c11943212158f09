import { labels } from '@sheaf/db/schema';
import { createLabel, getLabel, getParent, lockLabelTree } from '@sheaf/documents/labels';
import { findByName, toName } from '@sheaf/imports/shared';
import { MAX_LABEL_CHARACTERS, MAX_LABEL_LEVELS } from '@sheaf/vocabulary/limits';
import { type ImportContext, readAll } from './context.ts';
import { type TagFields, tagFields } from './records.ts';

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
