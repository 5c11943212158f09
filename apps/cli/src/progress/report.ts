export interface Extent {
  readonly files: number;
  readonly bytes: number;
  /** What is counted; `files` where nothing is said. */
  readonly unit?: string;
}

/** What a person is told while the tool works. */
export interface Report {
  /** A new phase, with so much ahead where that is known. */
  begin(phase: string, total?: Extent): void;
  /** One more file of the phase is done. */
  advance(bytes: number): void;
  /** What everybody should read. */
  line(text: string): void;
  /** What only those read who asked for it. */
  detail(text: string): void;
}
