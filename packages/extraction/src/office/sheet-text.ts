import type { XmlHandler } from '@sheaf/sandbox/containers';

/** A row of a sheet that has any text. */
export interface SheetRow {
  /** The texts of its cells, in their order. A cell that stands for several equal ones is repeated. */
  readonly cells: readonly string[];
  /** The comments on its cells. */
  readonly comments: readonly string[];
}

export interface Sheet {
  readonly name: string;
  readonly rows: readonly SheetRow[];
  /** What stands in shapes that belong to no cell. */
  readonly shapes: readonly string[];
}

const PARAGRAPHS = new Set(['text:p', 'text:h']);
const SPACES = new Set(['text:s', 'text:tab', 'text:line-break']);
const CELLS = new Set(['table:table-cell', 'table:covered-table-cell']);
/** A cell of a spreadsheet program has room for 32,767. */
const MAX_PARAGRAPH_CHARS = 1024 * 1024;
/** What all sheets may hold together; repetition makes a gigabyte of a kilobyte. */
const MAX_CHARS = 32 * 1024 * 1024;

interface OpenRow {
  readonly repeated: number;
  readonly cells: string[];
  readonly comments: string[];
}

interface OpenCell {
  readonly repeated: number;
  readonly paragraphs: string[];
}

/**
 * Gathers the texts of all cells of an OpenDocument spreadsheet (`content.xml`) as they are shown, with those of hidden sheets, rows
 * and columns, which no rendition has. Structure: OpenDocument 1.3, part 3, chapter 9.
 */
export class SheetReader implements XmlHandler {
  readonly #sheets: { name: string; rows: SheetRow[]; shapes: string[] }[] = [];
  #row: OpenRow | undefined;
  #cell: OpenCell | undefined;
  #comment: string[] | undefined;
  /** A paragraph may stand in another: a note, a shape in a cell. */
  readonly #open: string[] = [];
  #charsLeft = MAX_CHARS;

  get sheets(): readonly Sheet[] {
    return this.#sheets;
  }

  /** Whether there is more text than is kept. */
  get isFull(): boolean {
    return this.#charsLeft <= 0;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'table:table') this.#sheets.push({ name: attributes['table:name'] ?? '', rows: [], shapes: [] });
    else if (name === 'table:table-row')
      this.#row = { repeated: countOf(attributes['table:number-rows-repeated']), cells: [], comments: [] };
    else if (CELLS.has(name)) this.#cell = { repeated: countOf(attributes['table:number-columns-repeated']), paragraphs: [] };
    else if (name === 'office:annotation') this.#comment = [];
    else if (PARAGRAPHS.has(name)) this.#open.push('');
    else if (SPACES.has(name)) this.text(' ');
  }

  close(name: string): void {
    if (name === 'table:table-row') this.#closeRow();
    else if (CELLS.has(name)) this.#closeCell();
    else if (name === 'office:annotation') this.#closeComment();
    else if (PARAGRAPHS.has(name)) this.#closeParagraph();
  }

  text(text: string): void {
    const paragraph = this.#open.pop();
    if (paragraph !== undefined) this.#open.push(paragraph.length < MAX_PARAGRAPH_CHARS ? paragraph + text : paragraph);
  }

  #closeParagraph(): void {
    const paragraph = this.#open.pop()?.trim() ?? '';
    if (paragraph === '' || this.isFull) return;
    this.#charsLeft -= paragraph.length;
    (this.#comment ?? this.#cell?.paragraphs ?? this.#sheets.at(-1)?.shapes)?.push(paragraph);
  }

  #closeComment(): void {
    const comment = this.#comment?.join(' ') ?? '';
    this.#comment = undefined;
    if (comment !== '') this.#row?.comments.push(comment);
  }

  #closeCell(): void {
    const { paragraphs = [], repeated = 1 } = this.#cell ?? {};
    this.#cell = undefined;
    const text = paragraphs.join(' ');
    if (text !== '') this.#repeat(text.length, repeated, () => this.#row?.cells.push(text));
  }

  #closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    if (row === undefined || (row.cells.length === 0 && row.comments.length === 0)) return;
    const { cells, comments, repeated } = row;
    const chars = cells.reduce((sum, cell) => sum + cell.length, 0);
    this.#repeat(chars, repeated, (isFirst) => this.#sheets.at(-1)?.rows.push({ cells, comments: isFirst ? comments : [] }));
  }

  /** The first one is counted already. */
  #repeat(chars: number, times: number, add: (isFirst: boolean) => void): void {
    add(true);
    for (let n = 1; n < times && !this.isFull; n += 1) {
      this.#charsLeft -= chars + 1;
      add(false);
    }
  }
}

const countOf = (text: string | undefined): number => {
  const count = Number(text ?? '1');
  return Number.isSafeInteger(count) && count > 1 ? count : 1;
};
