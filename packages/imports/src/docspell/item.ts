import { z } from 'zod';
import { labelPath } from '../folder/sidecar.ts';
import type { ForeignDocument } from '../foreign/foreign-document.ts';

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
export type DocspellItem = z.output<typeof itemSchema>;

/** Throws an error whose message says what is wrong with the file. */
export const readItem = (bytes: Buffer): DocspellItem => {
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
export const factsOfItem = (item: DocspellItem): Omit<ForeignDocument, 'id' | 'filename' | 'open' | 'title'> => {
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
