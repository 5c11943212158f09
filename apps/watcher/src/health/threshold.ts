export interface ThresholdSettings {
  /** Above it there is something wrong. */
  readonly raiseAbove: number;
  /** From here down it is right again: less, so that a value about the limit does not raise and clear for ever. */
  readonly clearBelow: number;
  /** Looks in a row that have to be above. */
  readonly looks: number;
}

/** Says of a value that is looked at again and again whether it is too high. */
export class Threshold {
  readonly #settings: ThresholdSettings;
  #above = 0;
  #isRaised: boolean;

  /** `isRaised`: what was said before this process began. */
  constructor(settings: ThresholdSettings, isRaised = false) {
    this.#settings = settings;
    this.#isRaised = isRaised;
  }

  get raiseAbove(): number {
    return this.#settings.raiseAbove;
  }

  /** As of the last look. */
  get isRaised(): boolean {
    return this.#isRaised;
  }

  look(value: number): boolean {
    const { raiseAbove, clearBelow, looks } = this.#settings;
    this.#above = value > raiseAbove ? this.#above + 1 : 0;
    if (this.#above >= looks) this.#isRaised = true;
    else if (value <= clearBelow) this.#isRaised = false;
    return this.#isRaised;
  }
}
