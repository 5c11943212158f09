import { z } from 'zod';
import type { ForeignNote } from '../foreign/foreign-document.ts';
import { dateInName } from './path-pattern.ts';

/** What a file beside a document says of it. */
export interface SidecarFacts {
  readonly title?: string | undefined;
  readonly documentDate?: string | undefined;
  readonly addedAt?: Date | undefined;
  readonly correspondent?: string | undefined;
  readonly documentType?: string | undefined;
  readonly archiveNumber?: number | undefined;
  readonly labels: readonly (readonly string[])[];
  readonly notes: readonly ForeignNote[];
  readonly pages?: readonly string[] | undefined;
}

/** A sidecar is small; what is larger is something else. */
export const MAX_SIDECAR_BYTES = 8_000_000;
const MAX_LIST = 1_000;

/** A name, also where it is given as an object with one. */
const named = z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)]);
const name = named.nullish().transform((text) => (text === null || text?.trim() === '' ? undefined : text));
const many = z
  .union([z.array(named).max(MAX_LIST), z.string().transform((text) => text.split(',').map((one) => one.trim()))])
  .nullish()
  .transform((names) => (names ?? []).filter((one) => one !== ''));
const note = z.union([
  z.string(),
  z.looseObject({ text: z.string().optional(), note: z.string().optional() }).transform((given) => given.text ?? given.note ?? ''),
]);
const day = z
  .string()
  .nullish()
  .transform((text) => (text === null || text === undefined ? undefined : dateInName(text)));

/** Under the names that scripts and exports of other programs give these facts. */
const sidecar = z.looseObject({
  title: name,
  date: day,
  document_date: day,
  created: day,
  added: z.iso.datetime({ offset: true }).nullish().catch(undefined),
  added_at: z.iso.datetime({ offset: true }).nullish().catch(undefined),
  correspondent: name,
  sender: name,
  document_type: name,
  type: name,
  labels: many,
  tags: many,
  keywords: many,
  notes: z
    .union([z.array(note).max(MAX_LIST), note.transform((text) => [text])])
    .nullish()
    .transform((texts) => (texts ?? []).filter((text) => text.trim() !== '')),
  archive_number: z.number().int().nullish(),
  archive_serial_number: z.number().int().nullish(),
  asn: z.number().int().nullish(),
  text: z.string().nullish(),
  content: z.string().nullish(),
});

/** A label with those above it: `Finance/Tax` stands below `Finance`. */
export const labelPath = (text: string, separator = '/'): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** What a JSON file beside a document says of it. Throws an error whose message says what is wrong with the file. */
export const readJsonSidecar = (bytes: Buffer): SidecarFacts => {
  const { success, data, error } = sidecar.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  if (!success) throw new Error(`${error.issues[0]?.path.join('.') ?? ''}: ${error.issues[0]?.message ?? ''}`);
  const added = data.added_at ?? data.added;
  const text = data.text ?? data.content;
  return {
    title: data.title,
    documentDate: data.document_date ?? data.date ?? data.created,
    addedAt: typeof added === 'string' ? new Date(added) : undefined,
    correspondent: data.correspondent ?? data.sender,
    documentType: data.document_type ?? data.type,
    archiveNumber: data.archive_number ?? data.archive_serial_number ?? data.asn ?? undefined,
    labels: [...data.labels, ...data.tags, ...data.keywords].map((label) => labelPath(label)).filter((path) => path.length > 0),
    notes: data.notes.map((one) => ({ text: one })),
    pages: typeof text === 'string' && text.trim() !== '' ? text.split('\f') : undefined,
  };
};
