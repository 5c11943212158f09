import { type LabelBody, labelBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getLabel, listLabels } from '@sheaf/documents/labels';
import { numbersOf, readBoolean, refuseField } from '@sheaf/paperless';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { type ChangeRoutes, changeRoutes, createRoute, jsonRoute, type RequestContext, type Route } from '../http/route.ts';
import { create as createOwn, remove as removeOwn, toLabelBody, update as updateOwn } from '../labels/routes.ts';
import { entryFields, entryShown, foreignFields, pageOfEntries, refuseForeignFields, type ShownEntry } from './entries.ts';
import { type PaperlessTag, paperlessTag, tagFields } from './present-documents.ts';
import { type AnyQuery, anyQuery, lastOf, numberParams, requireNumber, requireNumbers, withNumber } from './query.ts';
import { askRoute, deleteRoute, PAPERLESS_PREFIX, type PaperlessServices, pageBody, requestBody, versionOf } from './requests.ts';

const PATH = `${PAPERLESS_PREFIX}/tags`;

/** Labels of one answer. */
const MAX_LABELS = 10_000;

const isHexColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** Black or white, whichever is read more easily on the colour. */
const textColorOn = (color: string): string => {
  const channel = (from: number): number => Number.parseInt(color.slice(from, from + 2), 16);
  const luminance = isHexColor(color) ? 0.299 * channel(1) + 0.587 * channel(3) + 0.114 * channel(5) : 0;
  return luminance > 135 ? '#000000' : '#ffffff';
};

interface LabelTree {
  readonly labels: readonly LabelBody[];
  readonly numberOf: (id: string) => number;
}

const readTree = async (db: Db, principal: Principal): Promise<LabelTree> => {
  const { rows } = await listLabels(db, principal, { page: 1, perPage: MAX_LABELS, sort: 'name', order: 'asc' });
  const labels = rows.map(toLabelBody);
  const numberOf = await numbersOf(
    db,
    labels.flatMap(({ id, parent_id: parentId }) => [id, ...(parentId === null ? [] : [parentId])]).map((id) => ({ kind: 'tag', id })),
  );
  return { labels, numberOf: (id) => numberOf('tag', id) };
};

/** A label with those below it where `withChildren`; a tree is no deeper than MAX_LABEL_LEVELS. */
const toTag = (
  { numberOf, labels }: LabelTree,
  label: LabelBody,
  shown: ShownEntry,
  childrenOf: ReadonlyMap<string | null, readonly LabelBody[]>,
): PaperlessTag => ({
  ...entryFields(numberOf(label.id), label, shown),
  color: label.color,
  text_color: textColorOn(label.color),
  is_inbox_tag: false,
  parent: label.parent_id === null ? null : numberOf(label.parent_id),
  children: (childrenOf.get(label.id) ?? []).map((child) => toTag({ numberOf, labels }, child, shown, childrenOf)),
});

interface Asked {
  readonly query: AnyQuery;
  readonly principal: Principal;
  readonly context: RequestContext;
}

/** All labels as tags; version 10 shows those below each in it as well. */
const readTags = async (db: Db, { query, principal, context }: Asked): Promise<PaperlessTag[]> => {
  const tree = await readTree(db, principal);
  const shown = entryShown(query, principal, scopeOf(principal.permissions, 'labels.update'));
  const childrenOf = versionOf(context.headers) === 10 ? Map.groupBy(tree.labels, ({ parent_id: parentId }) => parentId) : new Map();
  return tree.labels.map((label) => toTag(tree, label, shown, childrenOf));
};

const readTag = async (db: Db, asked: Asked, number: number): Promise<PaperlessTag> => withNumber(await readTags(db, asked), number);

export const list = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'labels.read',
    summary: 'List tags',
    query: anyQuery,
    response: pageBody(paperlessTag),
    handle: async (input) => {
      const tags = await readTags(db, input);
      const isRoot = lastOf(input.query, 'is_root');
      const wanted = isRoot === undefined ? tags : tags.filter(({ parent }) => (parent === null) === readBoolean('is_root', isRoot));
      return pageOfEntries(wanted, { path: '/tags', ...input }, ['is_root']);
    },
  });

export const read = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PATH}/{id}`,
    access: 'labels.read',
    summary: 'Get a tag',
    params: numberParams,
    query: anyQuery,
    response: paperlessTag,
    handle: ({ params, ...input }) => readTag(db, input, Number(params.id)),
  });

const tagRequest = requestBody(
  {
    name: z.string().optional(),
    color: z.string().optional(),
    parent: z.int().nullable().optional(),
    is_inbox_tag: z.boolean().nullish(),
    ...foreignFields,
  },
  [...Object.keys(tagFields), 'children'],
);

const toRequest = async (db: Db, principal: Principal, request: z.infer<typeof tagRequest>): Promise<Record<string, unknown>> => {
  const { name, color, parent, is_inbox_tag: isInboxTag } = request;
  await refuseForeignFields(db, principal, request);
  if (isInboxTag === true) throw refuseField('is_inbox_tag', 'is not supported: Sheaf has no inbox tags');
  return {
    ...(name === undefined ? {} : { name }),
    ...(color === undefined ? {} : { color }),
    ...(parent === undefined ? {} : { parent_id: parent === null ? null : (await requireNumbers(db, 'tag', [parent], 'parent'))[0] }),
  };
};

export const create = (services: PaperlessServices): Route =>
  createRoute({
    path: PATH,
    access: 'labels.create',
    summary: 'Create a tag',
    query: anyQuery,
    body: tagRequest,
    response: paperlessTag,
    handle: async ({ body, ...input }) => {
      const { db } = services.database;
      const { id } = await askRoute(createOwn(services), labelBody, {
        ...input,
        query: {},
        body: await toRequest(db, input.principal, body),
      });
      return readTag(db, input, (await numbersOf(db, [{ kind: 'tag', id }]))('tag', id));
    },
  });

export const update = (services: PaperlessServices): ChangeRoutes =>
  changeRoutes({
    path: `${PATH}/{id}`,
    access: 'labels.update',
    summary: 'Change a tag',
    params: numberParams,
    query: anyQuery,
    body: tagRequest,
    response: paperlessTag,
    handle: async ({ params, body, ...input }) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'tag', params);
      await getLabel(db, input.principal, id);
      await askRoute(updateOwn(services)[0], labelBody, {
        ...input,
        params: { id },
        query: {},
        body: await toRequest(db, input.principal, body),
      });
      return readTag(db, input, Number(params.id));
    },
  });

export const remove = (services: PaperlessServices): Route =>
  deleteRoute(services.database.db, 'tag', removeOwn(services), {
    path: `${PATH}/{id}`,
    access: 'labels.delete',
    summary: 'Delete a tag; its documents remain',
  });
