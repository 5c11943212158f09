import { FieldInstruction } from './field-instruction.ts';
import type { ReferenceKind } from './reference-kinds.ts';
import type { RtfListener } from './rtf-reader.ts';
import { UnreadablePart } from './unreadable-part.ts';

/** Bytes to leave out, from `start` up to `end`. */
export interface ByteCut {
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
