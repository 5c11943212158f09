/** Those in which files of the client lie ready, the smallest first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

interface Wish {
  readonly name: string;
  readonly quality: number;
}

const toWish = (part: string): Wish => {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const quality = parameters.find((text) => text.startsWith('q='))?.slice('q='.length);
  return { name, quality: quality === undefined ? 1 : Number(quality) || 0 };
};

/**
 * The encoding of `ready` that a client takes best, by its Accept-Encoding; undefined for the file as it is. Where it takes several equally, as all
 * browsers do, the smallest file is sent: the order in which they are named has no meaning (RFC 9110, 12.5.3).
 */
export const chooseEncoding = (accepted: string | undefined, ready: readonly Encoding[]): Encoding | undefined => {
  const wishes = (accepted ?? '').split(',').map(toWish);
  const qualityOf = (name: string): number | undefined =>
    (wishes.find((wish) => wish.name === name) ?? wishes.find((wish) => wish.name === '*'))?.quality;
  const plain = wishes.find(({ name }) => name === 'identity')?.quality ?? 0; // taken always, wished for only where it is named
  return ENCODINGS.filter((name) => ready.includes(name))
    .map((name) => ({ name, quality: qualityOf(name) ?? 0 }))
    .filter(({ quality }) => quality > 0 && quality >= plain)
    .toSorted((a, b) => b.quality - a.quality)[0]?.name;
};
