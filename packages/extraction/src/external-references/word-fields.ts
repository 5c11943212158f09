import { FieldInstruction, isLoadingField } from './field-instruction.ts';
import type { TextEdit } from './text-edits.ts';
import { attributeOf, type ElementChange, isWord, type XmlElement } from './xml-element.ts';

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
