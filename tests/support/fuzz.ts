import { isFullRun } from '@sheaf/testkit';
import { type Arbitrary, array, assert, asyncProperty, constantFrom, integer, nat, record, tuple, uint8Array } from 'fast-check';

/**
 * A moment each in `npm test`, a second in the full run; `FUZZ_SECONDS=600 FUZZ_SEED=7 node tests/run.ts 'tests/unit/fuzz/**'` looks
 * for longer, elsewhere.
 */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? (isFullRun ? 1 : 0.2));
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
const BATCH = 200;
const MAX_EDITS = 12;

/**
 * Hands inputs to `target` until the time is up, one batch at least. What it throws is a finding, printed with its seed and the
 * least input that shows it. Tests that call it are serial: each has its time for itself.
 */
export const fuzz = async <T>(inputs: Arbitrary<T>, target: (input: T) => unknown): Promise<void> => {
  const property = asyncProperty(inputs, async (input) => {
    await target(input);
  });
  const end = performance.now() + SECONDS * 1_000;
  for (let batch = 0; batch === 0 || performance.now() < end; batch += 1) await assert(property, { seed: SEED + batch, numRuns: BATCH });
};

type Edit = (bytes: Buffer) => Buffer;

const INTERESTING = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_fffa, 0xffff_fffe, 0xffff_ffff];

const at = (bytes: Buffer, place: number): number => (bytes.length === 0 ? 0 : place % bytes.length);

const edits: readonly Arbitrary<Edit>[] = [
  tuple(nat(), integer({ min: 0, max: 255 })).map(([place, value]) => (bytes: Buffer) => {
    if (bytes.length > 0) bytes.writeUInt8(value, place % bytes.length);
    return bytes;
  }),
  tuple(nat(), constantFrom(...INTERESTING)).map(([place, value]) => (bytes: Buffer) => {
    if (bytes.length >= 4) bytes.writeUInt32LE(value, place % (bytes.length - 3));
    return bytes;
  }),
  tuple(nat(), constantFrom(...INTERESTING)).map(([place, value]) => (bytes: Buffer) => {
    if (bytes.length >= 2) bytes.writeUInt16LE(value & 0xffff, place % (bytes.length - 1));
    return bytes;
  }),
  nat().map((place) => (bytes: Buffer) => bytes.subarray(0, at(bytes, place))),
  tuple(nat(), nat(4_096)).map(
    ([place, length]) =>
      (bytes: Buffer) =>
        Buffer.concat([bytes.subarray(0, at(bytes, place)), bytes.subarray(at(bytes, place) + length)]),
  ),
  tuple(nat(), nat(4_096), nat(3)).map(([place, length, times]) => (bytes: Buffer) => {
    const [from, to] = [at(bytes, place), at(bytes, place) + length];
    return Buffer.concat([bytes.subarray(0, to), ...Array.from({ length: times }, () => bytes.subarray(from, to)), bytes.subarray(to)]);
  }),
  tuple(nat(), uint8Array({ maxLength: 64 })).map(
    ([place, more]) =>
      (bytes: Buffer) =>
        Buffer.concat([bytes.subarray(0, at(bytes, place)), more, bytes.subarray(at(bytes, place))]),
  ),
];

/** One of `samples`, changed in a few places. */
export const mutated = (samples: readonly Uint8Array[]): Arbitrary<Buffer> =>
  record({
    sample: constantFrom(...samples),
    changes: array(
      nat(edits.length - 1).chain((n) => edits[n] ?? edits[0]!),
      { maxLength: MAX_EDITS },
    ),
  }).map(({ sample, changes }) => changes.reduce((bytes, change) => Buffer.from(change(bytes)), Buffer.from(sample)));

/** Text of `pieces`, which make more of a parser's grammar than letters at random. */
export const spliced = (pieces: readonly string[], maxLength = 60): Arbitrary<string> =>
  array(constantFrom(...pieces), { maxLength }).map((chosen) => chosen.join(''));
