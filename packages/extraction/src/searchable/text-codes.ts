const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const BLOCK = 100;

const hex = (code: number): string => code.toString(16).padStart(4, '0');

/**
 * The codes of the text of one PDF, two bytes each. A character of the basic plane has its own number. Those beyond it get the numbers
 * that the plane leaves to surrogates, in the order in which they come up; the map to Unicode says which.
 */
export class TextCodes {
  readonly #beyond = new Map<string, number>();

  /** `text` as the string of a text operator. */
  encode(text: string): string {
    let codes = '';
    for (const char of text) codes += hex(char.length === 1 ? char.charCodeAt(0) : this.#codeOf(char));
    return codes;
  }

  /** The ToUnicode map of all codes so far. */
  toUnicode(): string {
    const beyond = [...this.#beyond];
    const blocks: string[] = [];
    for (let at = 0; at < beyond.length; at += BLOCK) {
      const lines = beyond
        .slice(at, at + BLOCK)
        .map(([char, code]) => `<${hex(code)}> <${hex(char.charCodeAt(0))}${hex(char.charCodeAt(1))}>`);
      blocks.push(`${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar`);
    }
    return [
      '/CIDInit /ProcSet findresource begin',
      '12 dict begin',
      'begincmap',
      '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
      '/CMapName /Adobe-Identity-UCS def',
      '/CMapType 2 def',
      '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange',
      '2 beginbfrange\n<0000> <d7ff> <0000>\n<e000> <ffff> <e000>\nendbfrange',
      ...blocks,
      'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n',
    ].join('\n');
  }

  #codeOf(char: string): number {
    const known = this.#beyond.get(char);
    if (known !== undefined) return known;
    if (this.#beyond.size === SURROGATES) return 0xfffd;
    const code = FIRST_SURROGATE + this.#beyond.size;
    this.#beyond.set(char, code);
    return code;
  }
}
