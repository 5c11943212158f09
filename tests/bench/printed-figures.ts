const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2)).padStart(9);

/** Figures that are printed as they come, beside those of the first size: at a million documents the last one takes a while. */
export class PrintedFigures extends Map<string, number> {
  readonly #first: ReadonlyMap<string, number>;

  constructor(first: ReadonlyMap<string, number>) {
    super();
    this.#first = first;
  }

  override set(name: string, value: number): this {
    const before = this.#first.get(name);
    const ratio = before === undefined || before === 0 ? '' : `   ${(value / before).toFixed(2)} of the first`;
    console.log(`  ${name.padEnd(50)} ${number(value)}${ratio}`);
    return super.set(name, value);
  }
}
