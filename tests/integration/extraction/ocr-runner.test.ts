import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@sheaf/extraction/testing';
import { turned, writePgm } from '@sheaf/extraction/testing/images';
import { findInstalledData, findPackagedData, NativeRunner, type OcrRunner, type OcrTask, WasmRunner } from '@sheaf/extraction/testing/ocr';
import { drawLines, isFullRun } from '@sheaf/testkit';
import test, { type TestFn } from 'ava';
import { testWhere } from '../../support/conditional-test.ts';
import { extractionLimits } from '../../support/extraction.ts';
import { fullOnly } from '../../support/full-run.ts';

// What every way to run the engine must do.

const hasTesseract = (await findProgram('tesseract')) !== undefined && (await findInstalledData('')) !== undefined;

const run = test as TestFn<{ folder: string }>;

run.before(async (t) => {
  t.context.folder = await mkdtemp(join(tmpdir(), 'sheaf-runner-'));
});
run.after.always((t) => rm(t.context.folder, { recursive: true, force: true }));

const LINES = [
  'The harbour master keeps a ledger of every ship',
  'that enters the bay between dusk and dawn and of',
  'the cargo that it carries to the northern quay.',
  'No vessel leaves before the tide has turned twice.',
];

const drawPgm = async (folder: string, name: string, turn: 0 | 90 | 180 | 270 = 0): Promise<string> => {
  const { data, info } = await drawLines(LINES).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  const path = join(folder, `${name}-${turn}.pgm`);
  await writePgm(path, await turned({ width: info.width, height: info.height, pixels: data }, turn));
  return path;
};

const task = (imagePath: string, more: Partial<OcrTask> = {}): OcrTask => ({
  imagePath,
  language: 'eng',
  dpi: 200,
  psm: 3,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  ...more,
});

const openNative = async (scratchPath: string): Promise<OcrRunner> => {
  const [program, stdbuf, data] = [await findProgram('tesseract'), await findProgram('stdbuf'), await findInstalledData('')];
  if (program === undefined || data === undefined) throw new Error('tesseract is not installed');
  return new NativeRunner({ program, stdbuf, data, oem: 1, scratchPath, limits: extractionLimits });
};

const openWasm = async (): Promise<OcrRunner> => {
  const data = [await findInstalledData(''), await findPackagedData()].filter((one) => one !== undefined);
  return new WasmRunner({ threads: 1, data, oem: 1 });
};

const openPackaged = async (): Promise<OcrRunner> => {
  const data = await findPackagedData();
  return new WasmRunner({ threads: 1, data: data === undefined ? [] : [data], oem: 1 });
};

for (const [name, open] of [
  ['native', openNative],
  ['wasm', openWasm],
  ...(isFullRun ? [['wasm with packaged data', openPackaged] as const] : []),
] as const) {
  const testRunner = testWhere(name !== 'native' || hasTesseract, 'tesseract is not installed, so the native runner cannot be tried', run);

  testRunner(`${name}: a page gives its text, its words and how sure they are`, async (t) => {
    const runner = await open(t.context.folder);
    const outcome = await runner.read(task(await drawPgm(t.context.folder, name)));
    await runner.close();
    if (!outcome.ok) {
      t.fail(outcome.reason);
      return;
    }
    t.is(outcome.value.text.replaceAll(/\s+/g, ' '), LINES.join(' '));
    t.is(outcome.value.words.length, LINES.join(' ').split(' ').length);
    t.true(outcome.value.confidence > 0.8 && outcome.value.confidence <= 1);
  });

  // which data it has makes no difference to the rest

  fullOnly(testRunner)(`${name}: pages at the same time and after one another keep to themselves`, async (t) => {
    const runner = await open(t.context.folder);
    const [whole, small] = [await drawPgm(t.context.folder, `${name}-whole`), join(t.context.folder, `${name}-small.pgm`)];
    await writePgm(small, { width: 40, height: 40, pixels: new Uint8Array(1_600).fill(255) });
    const words = async (path: string): Promise<number> => {
      const outcome = await runner.read(task(path));
      return outcome.ok ? outcome.value.words.length : -1;
    };
    const all = LINES.join(' ').split(' ').length;
    t.deepEqual(await Promise.all([words(whole), words(small)]), [all, 0]);
    for (const [path, count] of [
      [small, 0],
      [whole, all],
      [whole, all],
      [small, 0],
    ] as const)
      t.is(await words(path), count);
    await runner.close();
  });

  testRunner(`${name}: an abort throws its reason, a time limit is an outcome, and the runner goes on`, async (t) => {
    const runner = await open(t.context.folder);
    const path = await drawPgm(t.context.folder, `${name}-limits`);
    const abort = new AbortController();
    const reading = runner.read(task(path, { signal: abort.signal }));
    abort.abort(new Error('no longer wanted'));
    await t.throwsAsync(reading, { message: 'no longer wanted' });
    t.deepEqual(await runner.read(task(path, { timeoutMs: 1 })), { ok: false, reason: 'timeout' });
    t.true((await runner.read(task(path))).ok);
    await runner.close();
  });

  testRunner(`${name}: a picture that is none is an outcome as well`, async (t) => {
    const runner = await open(t.context.folder);
    const outcome = await runner.read(task(join(t.context.folder, 'nothing-here.pgm')));
    t.deepEqual(outcome, { ok: false, reason: 'reader_died' });
    await runner.close();
  });

  testRunner(`${name}: where the data for it is installed, it knows how a page lies`, async (t) => {
    const runner = await open(t.context.folder);
    const installed = await findInstalledData('');
    for (const turn of isFullRun ? ([0, 90, 180] as const) : ([90] as const)) {
      const found = await runner.findTurn(task(await drawPgm(t.context.folder, `${name}-turned`, turn)));
      t.is(
        found,
        installed?.hasOrientation === true && name !== 'wasm with packaged data' ? (((360 - turn) % 360) as typeof found) : undefined,
      );
    }
    await runner.close();
  });
}
