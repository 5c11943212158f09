import { type PageEditRequest, pageEditBody } from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { editPages } from '../documents/page-editing/edit-pages.ts';
import type { RequestContext } from '../http/route.ts';
import { askRoute } from './ask-route.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { refuseField } from './query.ts';

/** What methods that edit pages take. */
export const pageParameters = {
  degrees: z.int().optional(),
  pages: z.union([z.string().max(100_000), z.array(z.int()).max(10_000)]).optional(),
  delete_originals: z.boolean().nullish(),
};

interface PageEdit {
  readonly services: PaperlessServices;
  readonly ids: readonly string[];
  readonly parameters: z.infer<z.ZodObject<typeof pageParameters>>;
  readonly principal: Principal;
  readonly context: RequestContext;
}

type Operations = PageEditRequest['operations'];

const edit = async ({ services, principal, context }: PageEdit, id: string, operations: Operations): Promise<void> => {
  await askRoute(editPages(services), pageEditBody, { params: { id }, body: { operations }, principal, context });
};

const numbersFrom = (first: number, last: number): number[] => Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);

const pagesOf = async ({ services, principal }: PageEdit, id: string): Promise<number[]> =>
  numbersFrom(1, (await getDocument(services.database.db, principal, id)).pageCount ?? 0);

const only = ({ ids }: PageEdit): string => {
  const [id] = ids;
  if (id === undefined || ids.length > 1) throw refuseField('documents', 'Only one document can be edited.');
  return id;
};

/** Turns all pages of each document, one document after the other. */
export const rotate = async (order: PageEdit): Promise<void> => {
  const by = (((order.parameters.degrees ?? 0) % 360) + 360) % 360;
  if (by !== 90 && by !== 180 && by !== 270) throw refuseField('degrees', 'Degrees must be a multiple of 90.');
  for (const id of order.ids) {
    const pages = await pagesOf(order, id);
    await edit(order, id, [{ op: 'rotate', pages: pages.length === 0 ? [1] : pages, by }]);
  }
};

export const deletePages = async (order: PageEdit): Promise<void> => {
  const id = only(order);
  const { pages } = order.parameters;
  if (!Array.isArray(pages) || pages.length === 0) throw refuseField('pages', 'This field is required.');
  await edit(order, id, [{ op: 'delete', pages: [...new Set(pages)] }]);
};

const RANGE = /^(\d{1,5})(?:-(\d{1,5}))?$/;

/** The pages of each part: `1-2,3,4-6`, in brackets or without. Throws for a page that is not among `known`, or is there twice. */
const readParts = (text: string, known: ReadonlySet<number>): number[][] => {
  const seen = new Set<number>();
  const list = text.replace(/^\[/, '').replace(/\]$/, '');
  return list.split(',').map((part) => {
    const [, first, last = first] = RANGE.exec(part.trim()) ?? [];
    const pages = first === undefined ? [] : numbersFrom(Number(first), Number(last));
    if (pages.length === 0) throw refuseField('pages', `"${part.trim().slice(0, 100)}" is no range of pages.`);
    for (const page of pages) {
      if (!known.has(page)) throw refuseField('pages', `There is no page ${page}.`);
      if (seen.has(page)) throw refuseField('pages', 'A page can be in one part only.');
      seen.add(page);
    }
    return pages;
  });
};

/** Splits a document into parts; the first stays in it, and pages that are in no part go. The whole is its earlier version. */
export const split = async (order: PageEdit): Promise<void> => {
  const id = only(order);
  const { pages: given } = order.parameters;
  if (typeof given !== 'string') throw refuseField('pages', 'This field is required.');
  const known = await pagesOf(order, id);
  const parts = readParts(given, new Set(known));
  const kept = parts.flat();
  const places = new Map(kept.toSorted((a, b) => a - b).map((page, at) => [page, at + 1]));
  const left = known.filter((page) => !places.has(page));
  const starts: number[] = [];
  for (const part of parts.slice(0, -1)) starts.push((starts.at(-1) ?? 1) + part.length);
  await edit(order, id, [
    ...(left.length === 0 ? [] : [{ op: 'delete' as const, pages: left }]),
    { op: 'move', pages: kept.map((page) => places.get(page) ?? page), to: 1 },
    ...(starts.length === 0 ? [] : [{ op: 'split' as const, pages: starts }]),
  ]);
};
