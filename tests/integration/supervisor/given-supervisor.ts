import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FixtureSettings } from '../../fixtures/supervisor/supervise.ts';
import { waitFor } from '../../support/wait-for.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/supervisor');

interface Entry {
  readonly name: string;
  readonly event: string;
  readonly pid: number;
  readonly at: number;
}

export interface GivenSupervisor {
  readonly pid: number;
  readonly folder: string;
  /** What the children did so far, in order. */
  journal(): Entry[];
  /** The pids that took part, with those of their own programs. */
  everybody(): number[];
  output(): string;
  untilEntry(name: string, event: string, count?: number): Promise<Entry>;
  untilAnnounced(): Promise<string[]>;
  /** The port of the supervisor's own probes; the system chose it. */
  probePort(): Promise<number>;
  untilEnded(): Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** Ports on which the process listens, by its open sockets. */
const listeningPorts = (pid: number): number[] => {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return []; // closed while we looked
    }
  });
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inode !== undefined && inodes.includes(inode))
    .map(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16));
};

/** A line of a Procfile for the fixture child. */
export const child = (name: string, ...behaviours: string[]): string =>
  `${name}: node ${join(FIXTURES, 'child.ts')} JOURNAL ${name} ${behaviours.join(' ')}`;

export const givenSupervisor = async (
  t: { teardown(fn: () => Promise<void>): void },
  procfile: readonly string[],
  more: Partial<FixtureSettings> = {},
): Promise<GivenSupervisor> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-supervisor-'));
  await chmod(folder, 0o755);
  const journalFile = join(folder, 'journal');
  const settings: FixtureSettings = { folder, procfile: procfile.join('\n').replaceAll('JOURNAL', journalFile), ...more };
  const supervisor = spawn(process.execPath, [join(FIXTURES, 'supervise.ts'), JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
  });
  let output = '';
  for (const stream of [supervisor.stdout, supervisor.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const ended = once(supervisor, 'exit');
  const limitMs = 60_000;
  const given: GivenSupervisor = {
    pid: supervisor.pid ?? 0,
    folder,
    journal: () =>
      (existsSync(journalFile) ? readFileSync(journalFile, 'utf8') : '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Entry),
    everybody: () => [
      ...new Set(
        given.journal().flatMap(({ pid, event }) => [pid, ...(event.startsWith('grandchild') ? [Number(event.split(' ')[1])] : [])]),
      ),
    ],
    output: () => output,
    untilEntry: (name, event, count = 1) =>
      waitFor(() => given.journal().filter((entry) => entry.name === name && entry.event === event)[count - 1], {
        description: () => `${name} to ${event}; so far ${output}`,
        limitMs,
      }),
    untilAnnounced: () =>
      waitFor(
        () => {
          const line = /^announced (.*)$/m.exec(output)?.[1];
          return line === undefined ? undefined : (JSON.parse(line) as string[]);
        },
        { description: 'the last lines of the start', limitMs },
      ),
    probePort: () =>
      waitFor(() => listeningPorts(given.pid)[0], { description: () => `the supervisor to listen; so far ${output}`, limitMs }),
    async untilEnded() {
      const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
      return code ?? signal ?? -1;
    },
    kill: (signal) => supervisor.kill(signal),
  };
  t.teardown(async () => {
    supervisor.kill('SIGKILL');
    await ended;
    await waitFor(() => !given.everybody().some(isAlive), { description: 'all processes to end', limitMs });
    await rm(folder, { recursive: true, force: true });
  });
  return given;
};
