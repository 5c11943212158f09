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

export const isLoadingField = (instruction: string): boolean => {
  const name = /[\p{L}\p{N}]+/u.exec(instruction.slice(0, MAX_CHARS))?.[0] ?? '';
  return LOADING.has(name.toUpperCase()) || LOADING_ANYWHERE.test(squeeze(instruction.slice(0, MAX_CHARS)));
};

const squeeze = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toUpperCase();
