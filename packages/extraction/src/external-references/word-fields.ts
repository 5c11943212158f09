import { attributeOf, type ElementChange, isWord, type TextEdit, type XmlElement } from './link-rules.ts';

interface OpenField {
  /** Its instruction is not complete. */
  isInstruction: boolean;
  readonly instruction: FieldInstruction;
  /** What empties the instruction. */
  readonly edits: TextEdit[];
}

const TEXTS = new Set(['instrText', 'delInstrText', 't', 'delText']);
/** Text inside of fields inside of fields counts for so many of them: more would make the work grow with the square. */
const MAX_AROUND = 8;

/** Follows the fields of a Word document, whose instructions lie in pieces among its runs. */
export class WordFields {
  readonly #open: OpenField[] = [];
  readonly #edits: TextEdit[];

  /** Edits that empty the instructions of loading fields are added to `edits`. */
  constructor(edits: TextEdit[]) {
    this.#edits = edits;
  }

  openElement(element: XmlElement): readonly ElementChange[] {
    if (!isWord(element.uri)) return [];
    if (element.local === 'fldChar') this.#mark(attributeOf(element, 'fldCharType') ?? '');
    if (element.local !== 'fldSimple') return [];
    const instruction = element.attributes.find(({ local }) => local === 'instr');
    if (instruction === undefined || !isLoadingField(instruction.value)) return [];
    return [{ kind: 'field', attribute: instruction.name, value: '' }];
  }

  /** `edit` would empty the element. */
  closeElement(element: XmlElement, text: string, edit: TextEdit): void {
    if (!isWord(element.uri) || !TEXTS.has(element.local) || text === '') return;
    const around = this.#open.slice(-MAX_AROUND).filter(({ isInstruction }) => isInstruction);
    for (const field of around) {
      field.instruction.add(text, field === this.#open.at(-1));
      field.edits.push(edit);
    }
  }

  /** Fields that are never closed count too. */
  close(): void {
    while (this.#open.length > 0) this.#end();
  }

  #mark(type: string): void {
    if (type === 'begin') this.#open.push({ isInstruction: true, instruction: new FieldInstruction(), edits: [] });
    else if (type === 'separate') this.#judge(this.#open.at(-1));
    else if (type === 'end') this.#end();
  }

  #end(): void {
    this.#judge(this.#open.pop());
  }

  #judge(field: OpenField | undefined): void {
    if (field?.isInstruction !== true) return;
    field.isInstruction = false;
    if (!field.instruction.isLoading) return;
    // One reference, however many pieces.
    for (const [at, edit] of field.edits.entries()) this.#edits.push(at === 0 ? edit : { ...edit, kind: undefined });
  }
}

/** Fields that load a file or ask another program when a document is opened. */
const LOADING = new Set(['INCLUDEPICTURE', 'INCLUDETEXT', 'INCLUDE', 'IMPORT', 'LINK', 'DDE', 'DDEAUTO', 'RD', 'DATABASE']);
/** Found anywhere: these words are in no other instruction. */
const LOADING_ANYWHERE = /INCLUDEPICTURE|INCLUDETEXT|DDEAUTO/;
/** More of an instruction says nothing new about it. */
const MAX_CHARS = 4_096;

/** The text of a field's instruction, which comes in pieces. */
export class FieldInstruction {
  /** Its own text; what fields inside it add could stand before its name. */
  #own = '';
  #all = '';

  add(text: string, isOwn: boolean): void {
    if (isOwn && this.#own.length < MAX_CHARS) this.#own += text.slice(0, MAX_CHARS);
    if (this.#all.length < MAX_CHARS) this.#all += text.slice(0, MAX_CHARS);
  }

  /** Whether the field reaches outside of the document. */
  get isLoading(): boolean {
    return isLoadingField(this.#own) || LOADING_ANYWHERE.test(squeeze(this.#all));
  }
}

const isLoadingField = (instruction: string): boolean => {
  const name = /[\p{L}\p{N}]+/u.exec(instruction.slice(0, MAX_CHARS))?.[0] ?? '';
  return LOADING.has(name.toUpperCase()) || LOADING_ANYWHERE.test(squeeze(instruction.slice(0, MAX_CHARS)));
};

const squeeze = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toUpperCase();
