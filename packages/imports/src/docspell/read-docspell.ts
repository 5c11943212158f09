import { join } from 'node:path';
import { type OpenRoot, openRoot, type WatchedFile, walkFolder } from '@sheaf/storage/folders';
import { extensionOf } from '@sheaf/vocabulary/file-kinds';
import { z } from 'zod';
import { labelPath } from '../folder/sidecar.ts';
import { openFile, readSmall, walkItems } from '../folder/walk-items.ts';
import type { ForeignDocument, ForeignItem } from '../foreign/foreign-document.ts';
import { ImportSourceError, reasonOf } from '../source-error.ts';

const METADATA = 'metadata.json';
const MAX_METADATA_BYTES = 8_000_000;

/** The files of a folder, which may be missing. */
const listFiles = async (
  path: string,
  signal: AbortSignal,
): Promise<{ readonly root: OpenRoot; readonly files: WatchedFile[] } | undefined> => {
  const outcome = await openRoot({ path });
  if (outcome.kind !== 'open') return undefined;
  const files: WatchedFile[] = [];
  for await (const batch of walkFolder(outcome.root.realPath, {
    recursive: false,
    skipsFolder: () => true,
    onUnreadable: () => {},
    signal,
  }))
    files.push(...batch.filter(({ sort }) => sort === 'file'));
  return { root: outcome.root, files: files.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
};

const titleOf = (item: DocspellItem, name: string, count: number): string => {
  const extension = extensionOf(name);
  return count === 1 ? item.name : `${item.name}: ${extension === '' ? name : name.slice(0, -extension.length - 1)}`;
};

async function* readItemFolder(metadata: WatchedFile, root: OpenRoot, signal: AbortSignal): AsyncGenerator<ForeignItem> {
  const folder = metadata.path.slice(0, -METADATA.length - 1);
  let item: DocspellItem;
  try {
    item = readItem(await readSmall(metadata, root, MAX_METADATA_BYTES));
  } catch (error) {
    yield {
      rest: { kind: 'item', name: folder, reason: `${METADATA} cannot be used: ${reasonOf(error)}` },
    };
    return;
  }
  const found = await listFiles(join(root.realPath, folder, 'files'), signal);
  if (found === undefined || found.files.length === 0) {
    yield { rest: { kind: 'item', name: item.name, reason: 'It has no files', documentId: item.id } };
    return;
  }
  const facts = factsOfItem(item);
  for (const file of found.files)
    yield {
      document: {
        ...facts,
        id: `${item.id}/${file.name}`,
        filename: file.name,
        title: titleOf(item, file.name, found.files.length),
        open: () => openFile(file, found.root),
        modifiedAt: new Date(file.facts.modifiedMs),
      },
    };
}

/**
 * The items of a folder that `dsc export` has written (items/AB/ABCDEF/metadata.json, and the files beside it in files/), each file as a
 * document. Throws an ImportSourceError for another folder.
 */
export async function* readDocspell(path: string, signal = new AbortController().signal): AsyncGenerator<ForeignItem> {
  const outcome = await openRoot({ path: join(path, 'items') });
  if (outcome.kind !== 'open') throw new ImportSourceError(`${path} has no folder "items": give the target folder of "dsc export".`);
  const { root } = outcome;
  yield* walkItems({
    root,
    skipsFolder: ({ name }) => name === 'files',
    read: (file) => (file.name === METADATA && file.sort === 'file' ? readItemFolder(file, root, signal) : []),
    signal,
  });
}

const MAX_LIST = 1_000;

const named = z.looseObject({ name: z.string() }).nullish();
/** Milliseconds since 1970. */
const time = z.number().min(-62_135_596_800_000).max(253_402_300_799_999).nullish();
const list = <S extends z.ZodType>(one: S) => z.array(one).max(MAX_LIST).nullish();

/** What dsc writes of an item; some of its versions write the names of the REST interface. */
const itemSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  date: time,
  due_date: time,
  dueDate: time,
  source: z.string().nullish(),
  corr_org: named,
  corrOrg: named,
  corr_person: named,
  corrPerson: named,
  conc_person: named,
  concPerson: named,
  conc_equip: named,
  concEquipment: named,
  folder: named,
  tags: list(z.looseObject({ name: z.string(), category: z.string().nullish() })),
  customfields: list(z.looseObject({ name: z.string(), label: z.string().nullish(), value: z.string() })),
  notes: z.string().nullish(),
});
type DocspellItem = z.output<typeof itemSchema>;

/** Throws an error whose message says what is wrong with the file. */
const readItem = (bytes: Buffer): DocspellItem => {
  const { success, data, error } = itemSchema.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  if (!success) throw new Error(`${error.issues[0]?.path.join('.') ?? ''}: ${error.issues[0]?.message ?? ''}`);
  return data;
};

const dayOf = (given: number | null | undefined): string | undefined =>
  typeof given === 'number' ? new Date(given).toISOString().slice(0, 10) : undefined;

/** Tags of this category say what a document is. */
const TYPE_CATEGORIES = new Set(['doctype', 'document type', 'document_type', 'documenttype']);
const isType = ({ category }: { readonly category?: string | null | undefined }): boolean =>
  TYPE_CATEGORIES.has((category ?? '').trim().toLowerCase());

/** What has no place of its own here, as a note, so that it can be read and found. */
const moreOf = (item: DocspellItem): string => {
  const due = dayOf(item.due_date ?? item.dueDate);
  const organisation = item.corr_org ?? item.corrOrg;
  const lines = [
    [
      'Correspondent (person)',
      organisation === null || organisation === undefined ? undefined : (item.corr_person ?? item.corrPerson)?.name,
    ],
    ['Concerning', (item.conc_person ?? item.concPerson)?.name],
    ['Equipment', (item.conc_equip ?? item.concEquipment)?.name],
    ['Due date', due],
    ...(item.customfields ?? []).map(({ name, label, value }) => [label ?? name, value] as const),
  ] as const;
  return lines.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}: ${value}`])).join('\n');
};

/** What an item says of each of its documents. */
const factsOfItem = (item: DocspellItem): Omit<ForeignDocument, 'id' | 'filename' | 'open' | 'title'> => {
  const tags = item.tags ?? [];
  const [type, ...others] = tags.filter(isType);
  const folder = item.folder?.name === undefined ? [] : [labelPath(item.folder.name)];
  const labels = [...tags.filter((tag) => !isType(tag)), ...others].map(({ name, category }) =>
    category === null || category === undefined || category.trim() === '' ? [name] : [category, name],
  );
  const notes = [item.notes ?? '', moreOf(item)].filter((text) => text.trim() !== '');
  return {
    documentDate: dayOf(item.date),
    labels: [...folder, ...labels].filter((path) => path.length > 0),
    correspondent: (item.corr_org ?? item.corrOrg ?? item.corr_person ?? item.corrPerson)?.name,
    documentType: type?.name,
    notes: notes.map((text) => ({ text })),
  };
};
