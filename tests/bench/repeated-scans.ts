import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';

const run = promisify(execFile);

/** What a scanner and the way to it do to a page. */
interface Wear {
  readonly degrees: number;
  readonly scale: number;
  readonly blur: number;
  readonly noise: number;
  readonly gamma: number;
  readonly quality: number;
}

/** The first scan is the picture as it is. */
const WEARS: readonly (Wear | undefined)[] = [
  undefined,
  { degrees: 0.6, scale: 0.9, blur: 0.5, noise: 8, gamma: 1.2, quality: 75 },
  { degrees: -0.9, scale: 0.8, blur: 0.4, noise: 14, gamma: 1.5, quality: 50 },
];

const wear = async (path: string, { degrees, scale, blur, noise, gamma, quality }: Wear): Promise<Buffer> => {
  const { width } = await sharp(path).metadata();
  const turned = await sharp(path)
    .flatten({ background: 'white' })
    .greyscale()
    .rotate(degrees, { background: 'white' })
    .resize({ width: Math.round(width * scale) })
    .blur(blur)
    .gamma(gamma)
    .png()
    .toBuffer();
  const size = await sharp(turned).metadata();
  const grain = sharp({
    create: {
      width: size.width ?? 1,
      height: size.height ?? 1,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: noise },
    },
  });
  return sharp(turned)
    .composite([{ input: await grain.png().toBuffer(), blend: 'soft-light' }])
    .greyscale()
    .jpeg({ quality })
    .toBuffer();
};

/** What is recognised is kept beside the machine's other temporary files: recognising everything takes a quarter of an hour. */
const CACHE = join(tmpdir(), 'sheaf-bench-repeated-scans');

/** How many scans there are of each picture. */
export const SCANS = WEARS.length;

/** The text of scan number `scan` of a picture, as Tesseract recognises it. */
export const readScan = async (path: string, language: string, scan: number): Promise<string> => {
  await mkdir(CACHE, { recursive: true });
  const worn = WEARS[scan];
  const hash = createHash('sha256')
    .update(await readFile(path))
    .update(JSON.stringify([worn ?? null, language]))
    .digest('hex');
  const kept = join(CACHE, `${hash}.txt`);
  if (existsSync(kept)) return readFile(kept, 'utf8');
  const image = worn === undefined ? path : join(CACHE, `${hash}.${process.pid}.jpg`);
  if (worn !== undefined) await writeFile(image, await wear(path, worn));
  const { stdout } = await run('tesseract', [image, '-', '-l', language, '--psm', '3'], {
    env: { ...process.env, OMP_THREAD_LIMIT: '1' },
    maxBuffer: 10_000_000,
  });
  if (worn !== undefined) await rm(image);
  await writeFile(`${kept}.${process.pid}`, stdout);
  await rename(`${kept}.${process.pid}`, kept);
  return stdout;
};
