import { createHash } from 'node:crypto';
import { plainName, withinBytes } from '@sheaf/storage/folders';

/** What a name may be made of. */
export const NAME_PARTS = [
  'document_date',
  'year',
  'month',
  'day',
  'correspondent',
  'document_type',
  'title',
  'archive_number',
  'owner',
  'filename',
  'id',
] as const;
export type NamePart = (typeof NAME_PARTS)[number];
export type NameValues = Readonly<Record<NamePart, string>>;

export const DEFAULT_NAME_FORMAT = '{document_date} {correspondent} {title}';

/** What the exporter of Paperless-ngx allows itself, of each folder and each file. */
const MAX_NAME_BYTES = 230;
const MAX_FORMAT_CHARACTERS = 200;
const MAX_FOLDERS = 4;
const PLACEHOLDER = /\{([a-z_]{1,40})\}/g;

const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i;
const SPACES = /\s+/gu;

const isNamePart = (name: string): name is NamePart => (NAME_PARTS as readonly string[]).includes(name);

/** Why a format cannot be used; undefined where it can. */
export const refusalOfNameFormat = (format: string): string | undefined => {
  const unknown = [...format.matchAll(PLACEHOLDER)].map(([, name = '']) => name).find((name) => !isNamePart(name));
  if (unknown !== undefined) return `{${unknown}} is not known. Use ${NAME_PARTS.map((name) => `{${name}}`).join(', ')}.`;
  if (format.trim() === '' || format.length > MAX_FORMAT_CHARACTERS) return `Use 1 to ${MAX_FORMAT_CHARACTERS} characters.`;
  if (/[{}]/.test(format.replaceAll(PLACEHOLDER, ''))) return 'Braces stand around the name of a value only.';
  return format.split('/').length > MAX_FOLDERS + 1 ? `Use at most ${MAX_FOLDERS} folders.` : undefined;
};

const plain = (text: string): string => plainName(text, '-');

/** A plain name of a file or a folder, without the dots and spaces at its ends that some systems drop; it may be empty. */
const tidy = (text: string, maxBytes: number): string => {
  const kept = withinBytes(text.replaceAll(SPACES, ' ').replace(/^[ .]+/, ''), maxBytes);
  let end = kept.length;
  while (end > 0 && (kept[end - 1] === ' ' || kept[end - 1] === '.')) end -= 1;
  const name = kept.slice(0, end);
  return RESERVED.test(name) ? `_${name}` : name;
};

/** No file of a document may look as the manifest of one, which importers look for. */
const notManifest = (name: string): string => name.replace(/-manifest(\.json)$/i, '_manifest$1');

/** The numbers that stand for names in memory: 48 bits of their hash, the same for names that some system takes for one. */
const numberOf = (name: string): number => createHash('sha1').update(name.normalize('NFC').toLowerCase()).digest().readUIntBE(0, 6);

/** A set of names in few bytes each. It may take one in 10^9 for one that is there, which is never a loss for who uses it. */
export class NameSet {
  readonly #numbers = new Set<number>();

  has(name: string): boolean {
    return this.#numbers.has(numberOf(name));
  }

  add(name: string): void {
    this.#numbers.add(numberOf(name));
  }
}

export interface NamedDocument {
  readonly values: NameValues;
  /** Without a dot; may be empty. */
  readonly extension: string;
}

/** Makes names of files by a format: plain, each with at most 230 bytes, and each once, also where upper and lower case are the same. */
export class FileNames {
  readonly #format: string;
  readonly #folder: string;
  readonly #taken: NameSet;

  /** `taken` is told every name. */
  constructor(format: string, folder: string, taken: NameSet) {
    this.#format = format;
    this.#folder = folder;
    this.#taken = taken;
  }

  /** With `/` between its folders. The same for the same document as long as no other one wants the name before it. */
  add({ values, extension }: NamedDocument): string {
    const folders = this.#format.split('/').map((part) => part.replaceAll(PLACEHOLDER, (_, name: NamePart) => plain(values[name])));
    const stem = folders.pop() ?? '';
    const ending = extension === '' ? '' : `.${plain(extension)}`;
    const path = [this.#folder, ...folders.map((folder) => tidy(folder, MAX_NAME_BYTES)).filter((folder) => folder !== '')].join('/');
    for (const mark of ['', ` ${values.id.slice(-8)}`, ` ${values.id}`]) {
      const room = MAX_NAME_BYTES - Buffer.byteLength(ending) - Buffer.byteLength(mark);
      const name = `${path}/${notManifest(`${tidy(plain(stem), room) || 'document'}${mark}${ending}`)}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
    throw new Error(`no free name for the document ${values.id}`); // its id stands in the last one
  }
}
