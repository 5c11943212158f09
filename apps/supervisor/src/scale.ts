import type { ProcfileEntry } from './procfile.ts';

/** How many processes of each name are wanted; a name that is absent means one. */
export type Scale = Readonly<Record<string, number>>;

const MOST = 64;

/** Reads `ocr-worker=2` or `ocr-worker=2,sync=0`. Throws an Error in words for the person at the command line. */
export const parseScale = (texts: readonly string[], known: readonly string[]): Scale => {
  const scale: Record<string, number> = {};
  for (const part of texts.flatMap((text) => text.split(','))) {
    const [, name, digits] = /^([^=]+)=(\d{1,3})$/.exec(part.trim()) ?? [];
    if (name === undefined) throw new Error(`--scale requires name=count such as ocr-worker=2, not "${part}"`);
    if (!known.includes(name)) throw new Error(`--scale: unknown process "${name}"; the Procfile has ${known.join(', ')}`);
    const count = Number(digits);
    if (count > MOST) throw new Error(`--scale ${name}=${count} exceeds the maximum of ${MOST}`);
    scale[name] = count;
  }
  return scale;
};

/** One process to keep alive. */
export interface Instance {
  /** As in logs: the entry's name, with a number from the second one on. */
  readonly name: string;
  readonly number: number;
  readonly command: ProcfileEntry['command'];
}

/** The processes of `entries` in their order, each as often as `scale` says. */
export const toInstances = (entries: readonly ProcfileEntry[], scale: Scale): Instance[] =>
  entries.flatMap(({ name, command }) =>
    Array.from({ length: scale[name] ?? 1 }, (_, number) => ({ name: number === 0 ? name : `${name}.${number}`, number, command })),
  );
