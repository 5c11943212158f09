import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_TOOL_LIMITS, describeLayers, ExchangeFolder, guardPrefix, toolLayers } from '@sheaf/sandbox';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

const PROGRAM = '/bin/true';
const ROUNDS = 200;
const WANTED_MS = 25;

const start = (command: readonly string[]): Promise<number> => {
  const [file = '', ...args] = command;
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(performance.now() - startedMs) : reject(new Error(`${file} ended with ${code}`))));
  });
};

/** What the sandbox adds to the start of a program that does nothing, in turns with the same program without it. */
export const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-'));
  try {
    const { path: cwd } = await ExchangeFolder.open(join(folder, 'exchange'));
    const guarded = [...guardPrefix(DEFAULT_TOOL_LIMITS, { file: PROGRAM, cwd }), PROGRAM];
    const times = { bare: [] as number[], guarded: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.bare.push(await start([PROGRAM]));
      times.guarded.push(await start(guarded));
    }
    report(median(times.bare) ?? 0, median(times.guarded) ?? 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const report = (bareMs: number, guardedMs: number): void => {
  console.log(`Start of a program, ${ROUNDS} rounds in turns, medians; ${machineLine()}`);
  console.log(`layers: ${describeLayers(toolLayers())}`);
  console.log(`| bare | in the sandbox, with limits | added |\n|---|---|---|`);
  console.log(`| ${bareMs.toFixed(1)} ms | ${guardedMs.toFixed(1)} ms | ${(guardedMs - bareMs).toFixed(1)} ms |`);
  console.log(`${guardedMs - bareMs <= WANTED_MS ? 'reached' : 'MISSED'}: at most ${WANTED_MS} ms added`);
};
