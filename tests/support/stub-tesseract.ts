import { execFile } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** One page that a stub was given, or has finished. */
export interface StubReading {
  /** What its engine calls itself. */
  readonly engine: string;
  /** The MD5 of the picture of the page, which stands in the text that it gives as well. */
  readonly picture: string;
  readonly atMs: number;
}

/**
 * Speaks as a warm tesseract does with `stream_filelist`: the name of a picture and that of a blank one come in two lines, and the page
 * is there when the heading of the blank one is. A sandbox makes its files read-only, but it can write into a pipe.
 */
const script = (folder: string, engine: string, pageSeconds: number): string => `#!/bin/sh
number=0
while read -r page && read -r blank; do
  picture=$(md5sum < "$page" | cut -c1-32)
  echo "${engine} $picture" > ${folder}/readings
  sleep ${pageSeconds}
  echo "${engine} $picture finished" > ${folder}/readings
  number=$((number + 1))
  printf '1\\t%s\\t0\\t0\\t0\\t0\\t0\\t0\\t1400\\t300\\t-1\\t\\n' "$number"
  left=100
  for word in the invoice of "$picture" was paid; do
    printf '5\\t%s\\t1\\t1\\t1\\t1\\t%s\\t100\\t90\\t40\\t96\\t%s\\n' "$number" "$left" "$word"
    left=$((left + 100))
  done
  number=$((number + 1))
  printf '1\\t%s\\t0\\t0\\t0\\t0\\t0\\t0\\t60\\t60\\t-1\\t\\n' "$number"
done
`;

/** Engines that wait for as long as a page takes instead of computing, and note each page that they are given. */
export interface StubTesseracts extends AsyncDisposable {
  /** In the order in which they began. */
  readonly readings: readonly StubReading[];
  /** Those that were not given up before their end. */
  readonly finished: readonly StubReading[];
  /** The variables of a program that has this engine. */
  make(engine: string, pageSeconds: number): Promise<Readonly<Record<string, string>>>;
}

const makeProgram = async (folder: string, engine: string, pageSeconds: number): Promise<string> => {
  const own = join(folder, engine);
  const program = join(own, 'tesseract');
  await mkdir(own);
  await writeFile(program, script(folder, engine, pageSeconds));
  await Promise.all([chmod(own, 0o755), chmod(program, 0o755)]);
  return own;
};

export const openStubTesseracts = async (): Promise<StubTesseracts> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-stub-tesseract-'));
  const pipe = join(folder, 'readings');
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'eng.traineddata'), '');
  await promisify(execFile)('mkfifo', ['-m', '666', pipe]);
  const readings: StubReading[] = [];
  const finished: StubReading[] = [];
  // open for writing as well, so that it does not end with the last engine
  const input = new Socket({ fd: openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK), readable: true, writable: false });
  createInterface({ input }).on('line', (line) => {
    const [engine = '', picture = '', end] = line.split(' ');
    (end === undefined ? readings : finished).push({ engine, picture, atMs: performance.now() });
  });
  return {
    readings,
    finished,
    make: async (engine, pageSeconds) => {
      const own = await makeProgram(folder, engine, pageSeconds);
      return { PATH: `${own}:${process.env['PATH'] ?? ''}`, OCR_ENGINE_DATA_PATH: folder, OCR_RUNNER: 'native' };
    },
    [Symbol.asyncDispose]: async () => {
      input.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
