import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ArchiveLimits } from '../office/office-check.ts';
import { countKinds, type ReferenceCounts, type ReferenceKind } from './link-rules.ts';
import type { StripRun } from './package-source.ts';
import { isRtf, isZipArchive, stripPackage } from './strip-package.ts';
import { FieldInstruction } from './word-fields.ts';
import { UnreadablePart } from './xml-encoding.ts';

/** `corrupt`: it cannot be told what the file refers to, so it must not be opened; `why` is for the log. */
export type StripOutcome =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'stripped'; readonly counts: ReferenceCounts }
  | { readonly kind: 'corrupt'; readonly why: string };

/** A document in a document in a document; deeper ones are emptied. */
const MAX_NESTING = 3;
const HEAD_BYTES = 512;

/**
 * Writes a copy of an office file to `outputPath` (which must not exist) that refers to nothing outside of itself, so that
 * LibreOffice loads no other file and no URL for it. Hyperlinks stay. Reads ZIP packages and RTF; the binary formats of old are
 * copied as they are. Takes time in proportion to the size of the file and memory that does not grow with it. Throws the reason of `signal` when that is aborted.
 */
export const stripExternalReferences = async (
  inputPath: string,
  outputPath: string,
  { archiveEntries, archiveBytes }: ArchiveLimits,
  signal: AbortSignal,
): Promise<StripOutcome> => {
  try {
    const budget = { entries: archiveEntries, bytes: archiveBytes };
    const counts = await strip(inputPath, outputPath, { budget, signal }, 0);
    return Object.keys(counts).length === 0 ? { kind: 'unchanged' } : { kind: 'stripped', counts };
  } catch (error) {
    if (error instanceof UnreadablePart) return { kind: 'corrupt', why: error.message };
    throw error;
  }
};

const strip = async (input: string, output: string, run: StripRun, nesting: number): Promise<ReferenceCounts> => {
  const head = await headOf(input);
  if (isZipArchive(head)) {
    if (nesting > MAX_NESTING) throw new UnreadablePart('too many nested documents');
    return stripPackage(input, output, run, (inner, stripped) => strip(inner, stripped, run, nesting + 1));
  }
  if (isRtf(head)) return stripRtf(input, output, run.signal);
  await copyFile(input, output);
  return {};
};

const headOf = async (path: string): Promise<Buffer> => {
  await using file: FileHandle = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
};

/** Copies an RTF file without its references to the outside: it is read once to find them and once to copy the rest. */
const stripRtf = async (input: string, output: string, signal: AbortSignal): Promise<ReferenceCounts> => {
  const inspection = new RtfInspection();
  const reader = new RtfReader(inspection);
  let bytes = 0;
  for await (const chunk of createReadStream(input) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    reader.write(chunk);
    bytes += chunk.length;
  }
  const cuts = inspection.close(bytes);
  await pipeline(
    createReadStream(input),
    (chunks: AsyncIterable<Buffer>) => without(chunks, cuts),
    createWriteStream(output, { flags: 'wx' }),
  );
  return countKinds(cuts.map(({ kind }) => kind));
};

async function* without(chunks: AsyncIterable<Buffer>, cuts: readonly ByteCut[]): AsyncGenerator<Buffer> {
  let [position, next] = [0, 0];
  for await (const chunk of chunks) {
    const end = position + chunk.length;
    let at = position;
    for (let cut = cuts[next]; cut !== undefined && cut.start < end; cut = cuts[next]) {
      if (cut.start > at) yield chunk.subarray(at - position, cut.start - position);
      at = Math.max(at, Math.min(cut.end, end));
      if (cut.end > end) break; // goes on in the next chunk
      next += 1;
    }
    if (at < end) yield chunk.subarray(at - position);
    position = end;
  }
}

/** Bytes to leave out, from `start` up to `end`. */
interface ByteCut {
  readonly start: number;
  readonly end: number;
  readonly kind: ReferenceKind;
}

type Content = 'field' | 'shape-name' | 'shape-value' | 'object-data' | 'removed';

interface Group {
  content: Content | undefined;
  /** Where the bytes begin that are left out when the content is a reference. */
  cutStart: number;
  readonly instruction: FieldInstruction;
  /** How many characters stand for one of `\u` and are no text. */
  unicodeSkip: number;
  /** Of a shape property. */
  propertyName: string;
  propertyValue: ByteCut | undefined;
  isObject: boolean;
  isLinked: boolean;
  objectData: ByteCut[];
}

const CONTENTS: Readonly<Record<string, Content>> = { fldinst: 'field', sn: 'shape-name', sv: 'shape-value', objdata: 'object-data' };
/** Groups that are of use outside only. */
const REMOVED = new Set(['template', 'objalias', 'objsect', 'nextfile', 'filetbl', 'mailmerge']);
const OBJECT_LINKS = new Set(['objlink', 'objautlink', 'objsub', 'objpub', 'linkself']);
const SPACES = new Set(['tab', 'par', 'line', '~']);
/** Shape properties whose value is the name of a picture file. */
const PICTURE_FILE = /^(?:pib|fillBlip|lineFillBlip|pibPrint).*Name$/i;
const MAX_NAME_CHARS = 100;
/** Fields inside of fields inside of fields: text counts for so many of them. */
const MAX_AROUND = 8;
const MAX_DEPTH = 10_000;
const MAX_CUTS = 200_000;
/** Line ends and NUL mean nothing in RTF. */
const IGNORED = /[\r\n\0]+/g;

/** Finds what an RTF file refers to outside of itself. */
export class RtfInspection implements RtfListener {
  readonly #cuts: ByteCut[] = [];
  readonly #groups: Group[] = [];
  /** Groups with a content, the innermost last: they take the text. */
  readonly #contents: Group[] = [];
  #skip = 0;

  openGroup(at: number): void {
    if (this.#groups.length > MAX_DEPTH) throw new UnreadablePart('too many nested levels');
    this.#groups.push({
      content: undefined,
      cutStart: at,
      instruction: new FieldInstruction(),
      unicodeSkip: this.#groups.at(-1)?.unicodeSkip ?? 1,
      propertyName: '',
      propertyValue: undefined,
      isObject: false,
      isLinked: false,
      objectData: [],
    });
    this.#skip = 0;
  }

  closeGroup(at: number): void {
    const group = this.#groups.pop();
    if (group === undefined) return;
    if (group === this.#contents.at(-1)) this.#contents.pop();
    this.#skip = 0;
    this.#judge(group, this.#groups.at(-1), at);
    if (this.#cuts.length > MAX_CUTS) throw new UnreadablePart('too many references');
  }

  control(word: string, parameter: number | undefined, at: number): void {
    const group = this.#groups.at(-1);
    if (group === undefined) return;
    const content = REMOVED.has(word) ? 'removed' : Object.hasOwn(CONTENTS, word) ? CONTENTS[word] : undefined;
    if (content !== undefined && group.content === undefined) {
      group.content = content;
      group.cutStart = at;
      this.#contents.push(group);
    }
    if (OBJECT_LINKS.has(word)) group.isLinked = true;
    else if (word === 'object') group.isObject = true;
    else if (word === 'uc') group.unicodeSkip = Math.max(0, parameter ?? 1);
    else if (word === 'u') this.#addUnicode(group, parameter ?? 0);
    else if (SPACES.has(word)) this.#add(' ', true);
  }

  text(chunk: Buffer, start: number, end: number): void {
    if (this.#contents.length === 0) return;
    const text = chunk.toString('latin1', start, end).replaceAll(IGNORED, '');
    // Offices differ in what they skip; that it is skipped must not hide anything.
    if (this.#skip > 0) this.#add(text.slice(0, this.#skip), false);
    this.#add(text.slice(this.#skip), true);
    this.#skip = Math.max(0, this.#skip - text.length);
  }

  /** What is to be left out, in order; `end` is the size of the file. */
  close(end: number): readonly ByteCut[] {
    while (this.#groups.length > 0) this.closeGroup(end);
    const sorted = this.#cuts.toSorted((a, b) => a.start - b.start || b.end - a.end);
    const kept: ByteCut[] = [];
    for (const cut of sorted) if (cut.start >= (kept.at(-1)?.end ?? 0)) kept.push(cut);
    return kept;
  }

  #addUnicode(group: Group, code: number): void {
    this.#skip = 0;
    this.#add(String.fromCharCode(code & 0xffff), true);
    this.#skip = group.unicodeSkip;
  }

  #add(text: string, isText: boolean): void {
    const innermost = this.#contents.at(-1);
    if (innermost === undefined || text === '') return;
    for (const group of this.#contents.slice(-MAX_AROUND)) group.instruction.add(text, isText && group === innermost);
    if (isText && innermost.content === 'shape-name' && innermost.propertyName.length < MAX_NAME_CHARS)
      innermost.propertyName += text.slice(0, MAX_NAME_CHARS);
  }

  #judge(group: Group, parent: Group | undefined, end: number): void {
    const cut = (kind: ReferenceKind): ByteCut => ({ start: group.cutStart, end, kind });
    if (group.content === 'field' && group.instruction.isLoading) this.#cuts.push(cut('field'));
    if (group.content === 'removed') this.#cuts.push(cut('link'));
    if (group.propertyValue !== undefined && PICTURE_FILE.test(group.propertyName.trim())) this.#cuts.push(group.propertyValue);
    if (group.content === 'object-data') group.objectData.push(cut('link'));
    if (parent !== undefined && group.content === 'shape-name') parent.propertyName = group.propertyName;
    if (parent !== undefined && group.content === 'shape-value') parent.propertyValue = cut('link');
    this.#closeObject(group, parent);
  }

  /** The data of an object that turns out to be linked, whichever of both comes first. */
  #closeObject(group: Group, parent: Group | undefined): void {
    if (group.isObject || parent === undefined) {
      if (group.isLinked) this.#cuts.push(...group.objectData.slice(0, MAX_CUTS));
      return;
    }
    parent.isLinked ||= group.isLinked;
    if (parent.objectData.length === 0) parent.objectData = group.objectData;
    else for (const data of group.objectData) parent.objectData.push(data);
  }
}

/** What the bytes of an RTF file mean, told one after another. Offsets count from the start of the file. */
interface RtfListener {
  openGroup(at: number): void;
  /** `at` is that of the brace. */
  closeGroup(at: number): void;
  /** A control word or symbol without its backslash, which is at `at`. */
  control(word: string, parameter: number | undefined, at: number): void;
  text(chunk: Buffer, start: number, end: number): void;
}

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const APOSTROPHE = 0x27;
const SPACE = 0x20;
const MINUS = 0x2d;
/** Longer control words than offices know are control words still, of no known name. */
const MAX_WORD_CHARS = 64;
const MAX_DIGITS = 10;

const isLetter = (byte: number): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isMarkup = (byte: number): boolean => byte === BACKSLASH || byte === OPEN || byte === CLOSE;

type State = 'text' | 'backslash' | 'word' | 'parameter' | 'hex' | 'binary';

/** Splits RTF into groups, control words and text; looks at each byte once, and goes on from chunk to chunk. */
export class RtfReader {
  readonly #listener: RtfListener;
  #state: State = 'text';
  #position = 0;
  #controlStart = 0;
  #word = '';
  #digits = '';
  #hex = '';
  #binaryLeft = 0;

  constructor(listener: RtfListener) {
    this.#listener = listener;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const bytes = this.#readRun(chunk, at);
      if (bytes === 0) this.#read(chunk[at] ?? 0);
      at += Math.max(1, bytes);
      this.#position += Math.max(1, bytes);
    }
  }

  /** Text and binary data come in long runs; returns the bytes that were taken. */
  #readRun(chunk: Buffer, start: number): number {
    if (this.#state === 'binary') {
      const bytes = Math.min(this.#binaryLeft, chunk.length - start);
      this.#binaryLeft -= bytes;
      if (this.#binaryLeft === 0) this.#state = 'text';
      return bytes;
    }
    if (this.#state !== 'text') return 0;
    let end = start;
    while (end < chunk.length && !isMarkup(chunk[end] ?? 0)) end += 1;
    if (end > start) this.#listener.text(chunk, start, end);
    return end - start;
  }

  #read(byte: number): void {
    switch (this.#state) {
      case 'backslash':
        return this.#readBackslash(byte);
      case 'word':
        return this.#readWord(byte);
      case 'parameter':
        return this.#readParameter(byte);
      case 'hex':
        return this.#readHex(byte);
      default:
        return this.#readText(byte);
    }
  }

  #readText(byte: number): void {
    if (byte === BACKSLASH) {
      this.#state = 'backslash';
      this.#controlStart = this.#position;
    } else if (byte === OPEN) this.#listener.openGroup(this.#position);
    else if (byte === CLOSE) this.#listener.closeGroup(this.#position);
    else this.#emitByte(byte);
  }

  #readBackslash(byte: number): void {
    if (isLetter(byte)) {
      this.#state = 'word';
      this.#word = String.fromCharCode(byte);
      this.#digits = '';
    } else if (byte === APOSTROPHE) {
      this.#state = 'hex';
      this.#hex = '';
    } else {
      this.#state = 'text';
      if (isMarkup(byte)) this.#emitByte(byte);
      else this.#listener.control(String.fromCharCode(byte), undefined, this.#controlStart);
    }
  }

  #readWord(byte: number): void {
    if (isLetter(byte)) {
      if (this.#word.length < MAX_WORD_CHARS) this.#word += String.fromCharCode(byte);
    } else if (isDigit(byte) || byte === MINUS) {
      this.#state = 'parameter';
      this.#digits = String.fromCharCode(byte);
    } else this.#endControl(byte);
  }

  #readParameter(byte: number): void {
    if (!isDigit(byte)) this.#endControl(byte);
    else if (this.#digits.length < MAX_DIGITS) this.#digits += String.fromCharCode(byte);
  }

  /** `byte` is the first behind the control word: a blank belongs to it. */
  #endControl(byte: number): void {
    const parameter = /\d/.test(this.#digits) ? Number(this.#digits) : undefined;
    this.#state = 'text';
    if (this.#word === 'bin' && parameter !== undefined && parameter > 0) this.#startBinary(parameter, byte);
    else {
      this.#listener.control(this.#word, parameter, this.#controlStart);
      if (byte !== SPACE) this.#readText(byte);
    }
  }

  #startBinary(bytes: number, byte: number): void {
    // without a blank the first byte of them was read before
    this.#binaryLeft = byte === SPACE ? bytes : bytes - 1;
    if (this.#binaryLeft > 0) this.#state = 'binary';
  }

  #readHex(byte: number): void {
    this.#hex += String.fromCharCode(byte);
    if (this.#hex.length < 2) return;
    this.#state = 'text';
    const code = /^[0-9a-f]{2}$/i.test(this.#hex) ? Number.parseInt(this.#hex, 16) : undefined;
    if (code !== undefined) this.#emitByte(code);
  }

  #emitByte(byte: number): void {
    this.#listener.text(Buffer.of(byte), 0, 1);
  }
}
