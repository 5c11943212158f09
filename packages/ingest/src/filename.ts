import { storableText } from '@sheaf/contract';
import { extensionOf } from '@sheaf/vocabulary/file-kinds';

/** What file systems and PostgreSQL's indexes bear, in bytes of UTF-8. */
const MAX_FILENAME_BYTES = 255;
const MAX_TITLE_CHARACTERS = 1_000;

/** Signs that turn the direction of what follows, by which a name can look as if it had another extension. */
const DIRECTION_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;

const plainDirection = (text: string): string => text.replaceAll(DIRECTION_OVERRIDES, '');

/** Storable, and as two spellings of one name compare. */
const normalise = (text: string): string => storableText(text).normalize('NFC');

/**
 * The name a file is known by: without its path, otherwise as its sender sees it, so with newlines, emoji and letters of any
 * direction. It is shown and searched, and never used as a path.
 */
export const cleanFilename = (name: string): string => {
  const base = normalise(name).split(/[/\\]/).at(-1) ?? '';
  if (base === '' || base === '.' || base === '..') return 'unnamed';
  return shorten(base, MAX_FILENAME_BYTES);
};

/** The name of a PDF that is the part number `place` of a file, from 1; that of the first differs in its extension at most. */
export const partFilename = (filename: string, place: number): string => {
  const extension = extensionOf(filename);
  const stem = extension === '' ? filename : filename.slice(0, -extension.length - 1);
  const suffix = place === 1 ? '' : ` (${place})`;
  const name = shorten(`${stem}.pdf`, MAX_FILENAME_BYTES - suffix.length);
  return `${name.slice(0, -'.pdf'.length)}${suffix}.pdf`;
};

/** The title of the part number `place` of a document. */
export const partTitle = (title: string, place: number): string => {
  const suffix = ` (${place})`;
  return `${title.slice(0, MAX_TITLE_CHARACTERS - suffix.length).toWellFormed()}${suffix}`;
};

/** Cuts the stem and keeps the extension, which says what the file is. */
const shorten = (name: string, maxBytes: number): string => {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const extension = extensionOf(name);
  const dotted = extension === '' || extension.length > 16 ? '' : name.slice(-extension.length - 1);
  let stem = '';
  let room = maxBytes - Buffer.byteLength(dotted);
  for (const character of name.slice(0, name.length - dotted.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem + dotted;
};

/** The wished title, or the file name without its extension; without signs that hide what it says. */
export const titleFor = (wished: string | undefined, filename: string): string => {
  const title = plainDirection(normalise(wished ?? '')).trim();
  if (title !== '') return title.slice(0, MAX_TITLE_CHARACTERS).toWellFormed();
  const extension = extensionOf(filename);
  const stem = plainDirection(extension === '' ? filename : filename.slice(0, -extension.length - 1));
  return stem.trim() === '' ? filename : stem;
};
